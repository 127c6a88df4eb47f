//! Results to standard output, errors to standard error, and what happens when nobody can take them.

use super::handover::Answer;
use super::options::{CheckOptions, Color, Format};
use crate::model::Field;
use crate::report::{self, CaseResult, TextOptions};
use anstyle::{AnsiColor, Style};
use std::io::{self, IsTerminal, Write};

/// The width of a text where it is not a terminal that says how wide it is, in columns.
const WIDTH_DEFAULT: usize = 100;

/// Where results go, and in which form.
#[derive(Clone, Copy, Debug)]
pub struct Output {
    format: Format,
    text: TextOptions,
    cases: usize,
}

impl Output {
    /// The output that the options, the environment and the terminal ask for.
    pub fn new(options: &CheckOptions) -> Self {
        let choice = match options.color {
            Color::Auto => anstream::ColorChoice::Auto,
            Color::Always => anstream::ColorChoice::Always,
            Color::Never => anstream::ColorChoice::Never,
        };
        choice.write_global();
        let color = anstream::AutoStream::choice(&io::stdout()) != anstream::ColorChoice::Never;
        let text = TextOptions { width: width(), color, unicode: unicode() };
        Self { format: options.format, text, cases: 0 }
    }

    /// Prints what a model program handed over: results to standard output, the failure to standard error.
    ///
    /// # Errors
    /// Where standard output takes no more.
    pub fn answer(&mut self, model: &str, answer: &Answer) -> io::Result<()> {
        if let Some(fields) = &answer.fields {
            self.fields(model, fields)?;
        }
        for case in &answer.cases {
            self.case(case)?;
            if let Some(fault) = &case.fault {
                error(&format!("{model}: {fault}"));
            }
        }
        // JSON Lines on standard output are objects alone.
        let lines: String = answer.certified.iter().map(|line| format!("{line}\n")).collect();
        match self.format {
            Format::Text => print(&lines)?,
            Format::Json => plain(&lines),
        }
        if let Some(failure) = &answer.failure {
            error(&format!("{model}: {failure}"));
        }
        Ok(())
    }

    fn case(&mut self, case: &CaseResult) -> io::Result<()> {
        let mut text = match self.format {
            Format::Text => report::text(case, &self.text),
            Format::Json => report::json(case),
        };
        if self.format == Format::Text && self.cases > 0 {
            text.insert(0, '\n');
        }
        if !text.ends_with('\n') {
            text.push('\n');
        }
        self.cases += 1;
        print(&text)
    }

    fn fields(&self, model: &str, fields: &[Field]) -> io::Result<()> {
        if self.format == Format::Json {
            let line = serde_json::json!({ "model": model, "parameters": fields });
            return print(&format!("{line}\n"));
        }
        let mut text = format!("{model}\n");
        if fields.is_empty() {
            text.push_str("  (no parameters)\n");
        }
        for field in fields {
            text.push_str(&format!("  --set {}={}\n", field.name, field.default));
            for line in field.doc.lines() {
                text.push_str(&format!("      {}\n", line.trim()));
            }
        }
        print(&text)
    }
}

/// Writes to standard output. A reader that has gone away (`| head`) is no error.
fn print(text: &str) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}

/// Writes `error: ...` to standard error. Where that takes nothing either, the exit code must do.
pub fn error(message: &str) {
    let style = Style::new().bold().fg_color(Some(AnsiColor::Red.into()));
    plain(&format!("{style}error{style:#}: {message}\n"));
}

/// Writes `text` to standard error as it is, without colours where they are not wanted.
pub fn plain(text: &str) {
    let mut stderr = anstream::stderr().lock();
    let _ = stderr.write_all(text.as_bytes()).and_then(|()| stderr.flush());
}

/// Whether standard error shows colours.
pub fn error_colors() -> bool {
    anstream::AutoStream::choice(&io::stderr()) != anstream::ColorChoice::Never
}

/// Whether standard error is read by a person, so that progress is worth showing.
pub fn interactive() -> bool {
    io::stderr().is_terminal()
}

fn width() -> usize {
    let columns = std::env::var("COLUMNS").ok().and_then(|c| c.parse().ok());
    let terminal = || terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
    columns.or_else(terminal).unwrap_or(WIDTH_DEFAULT)
}

/// Whether the locale is one of UTF-8: the first of LC_ALL, LC_CTYPE and LANG that is set decides.
fn unicode() -> bool {
    let set = |name| std::env::var(name).ok().filter(|value| !value.is_empty());
    ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(set).is_some_and(|locale| {
        let locale = locale.to_lowercase();
        locale.contains("utf-8") || locale.contains("utf8")
    })
}
