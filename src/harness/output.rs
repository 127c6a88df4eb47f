//! Results to standard output, errors to standard error, and what happens when nobody can take them.

use super::handover::Answer;
use super::options::{CheckOptions, Color, FileArgs, Format};
use crate::model::Field;
use crate::report::{self, CaseResult, Checked, Ended, TextOptions};
use anstyle::{AnsiColor, Style};
use std::io::{self, IsTerminal, Write};

/// The width of a text where it is not a terminal that says how wide it is, in columns.
const WIDTH_DEFAULT: usize = 100;

/// Where results go, and in which form.
#[derive(Debug)]
pub struct Output {
    format: Format,
    text: TextOptions,
    /// How many results were printed.
    printed: usize,
    /// Everything checked so far, for the formats that are one document.
    run: Vec<Checked>,
    /// Whether annotations are added to the text.
    annotated: bool,
    /// What is to be written to files.
    files: FileArgs,
    /// Whether the files were asked for at all.
    filed: bool,
    /// The parameters given, as options.
    assignments: String,
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
        let annotated = options.format == Format::Text
            && std::env::var_os("GITHUB_ACTIONS").is_some_and(|value| value == "true");
        let files = options.files.clone();
        let filed = [&files.html, &files.mermaid, &files.itf, &files.shiviz].iter().any(|f| f.is_some());
        let assignments =
            options.assignments.iter().map(|set| format!(" --set {}", shell_word(set))).collect();
        Self {
            format: options.format,
            text,
            printed: 0,
            run: Vec::new(),
            annotated,
            files,
            filed,
            assignments,
        }
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
            self.remember(&Checked {
                file: model.to_owned(),
                model: model.to_owned(),
                case: None,
                note: None,
                line: None,
                command: format!("aftercalm check {}{}", shell_word(model), self.assignments),
                claim_lines: claim_lines(model, case),
                ended: Ended::Result(Box::new(case.clone())),
            });
            if let Some(fault) = &case.fault {
                error(&format!("{model}: {fault}"));
            }
        }
        self.certified(&answer.certified)?;
        if let Some(failure) = &answer.failure {
            error(&format!("{model}: {failure}"));
        }
        Ok(())
    }

    /// Says what became of certificates.
    ///
    /// # Errors
    /// Where standard output takes no more.
    pub fn certified(&self, lines: &[String]) -> io::Result<()> {
        let lines: String = lines.iter().map(|line| format!("{line}\n")).collect();
        match self.format {
            Format::Text => print(&lines),
            // What scripts read is what was asked for, and nothing else.
            _ => {
                plain(&lines);
                Ok(())
            }
        }
    }

    /// Prints the cases of one suite.
    ///
    /// # Errors
    /// Where standard output takes no more.
    pub fn suite(&mut self, cases: &[Checked]) -> io::Result<()> {
        match self.format {
            Format::Text => self.text(report::table(cases, &self.text))?,
            Format::Json => {
                for case in cases {
                    match &case.ended {
                        Ended::Result(result) => self.case(result)?,
                        Ended::Failed(why) | Ended::NotRun(why) => {
                            error(&format!("{}: case `{}`: {why}", case.file, case.name()));
                        }
                    }
                }
            }
            Format::Junit | Format::Sarif | Format::Github => {}
        }
        cases.iter().for_each(|case| self.remember(case));
        Ok(())
    }

    /// Keeps a failure to check `file` for the formats that tell of those, too.
    pub fn failed(&mut self, file: &str, message: &str) {
        self.remember(&Checked {
            file: file.to_owned(),
            model: file.to_owned(),
            case: None,
            note: None,
            line: None,
            command: String::new(),
            claim_lines: Vec::new(),
            ended: Ended::Failed(message.to_owned()),
        });
    }

    /// Prints a line that only people read.
    ///
    /// # Errors
    /// Where standard output takes no more.
    pub fn remark(&mut self, text: &str) -> io::Result<()> {
        if self.format == Format::Text { self.text(text.to_owned()) } else { Ok(()) }
    }

    /// Prints a text that people are to see whatever the format: on standard error where standard output is for scripts.
    ///
    /// # Errors
    /// Where standard output takes no more.
    pub fn remark_anyway(&mut self, text: &str) -> io::Result<()> {
        if self.format == Format::Text {
            return self.text(text.to_owned());
        }
        plain(text);
        Ok(())
    }

    /// Ends the output: writes files, prints what is one document. No more is to be printed after it.
    ///
    /// # Errors
    /// A sentence, where standard output takes no more or a file cannot be written.
    pub fn finish(&mut self) -> Result<(), String> {
        let run = std::mem::take(&mut self.run);
        if self.filed {
            let results = run.iter().filter_map(|checked| match &checked.ended {
                Ended::Result(result) => Some(((**result).clone(), checked.command.clone())),
                _ => None,
            });
            super::files::write(&self.files, &results.collect::<Vec<_>>())?;
        }
        let printed = match self.format {
            Format::Junit => report::junit(&run).map_err(io::Error::other).and_then(|text| print(&text)),
            Format::Sarif => print(&report::sarif(&run)),
            Format::Github => print(&report::github(&run)),
            Format::Text if self.annotated => print(&report::github(&run)),
            Format::Text | Format::Json => Ok(()),
        };
        printed.map_err(|error| super::unwritable(&error))
    }

    fn remember(&mut self, checked: &Checked) {
        if self.filed || self.annotated || !matches!(self.format, Format::Text | Format::Json) {
            self.run.push(checked.clone());
        }
    }

    fn case(&mut self, case: &CaseResult) -> io::Result<()> {
        match self.format {
            Format::Text => self.text(report::text(case, &self.text)),
            Format::Json => print(&(report::json(case) + "\n")),
            Format::Junit | Format::Sarif | Format::Github => Ok(()),
        }
    }

    /// Prints a paragraph, with an empty line between it and the one before.
    fn text(&mut self, mut text: String) -> io::Result<()> {
        if self.printed > 0 {
            text.insert(0, '\n');
        }
        if !text.ends_with('\n') {
            text.push('\n');
        }
        self.printed += 1;
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

/// A word as a shell takes it.
pub fn shell_word(text: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./=,:+".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', "'\\''"))
    }
}

/// For each claim the first line of the model file that names it, in quotes; none where no line does.
fn claim_lines(model: &str, case: &CaseResult) -> Vec<(String, usize)> {
    let text = std::fs::read_to_string(model).unwrap_or_default();
    let line_of = |name: &str| {
        let quoted = format!("\"{}\"", name.escape_default());
        text.lines().position(|line| line.contains(&quoted)).map(|at| at + 1)
    };
    case.claims.iter().filter_map(|claim| Some((claim.name.clone(), line_of(&claim.name)?))).collect()
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
