//! Lines of styled text on a page of limited width.
//!
//! A [`Line`] is what is to be said; a [`Page`] breaks it at spaces, indents what continues it, and writes colours if they
//! are wanted. Widths are in terminal cells. Text of the model's is made harmless here: control characters, which could
//! change the terminal or the direction of the text, are shown as escapes.

use anstyle::{AnsiColor, Style};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// How a report looks as text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextOptions {
    /// The width of a line in terminal cells; less than 40 counts as 40.
    pub width: usize,
    /// Whether to write colours, as ANSI escape sequences.
    pub color: bool,
    /// Whether arrows and brackets may be other than ASCII. The model's own words are shown as they are.
    pub unicode: bool,
}

impl Default for TextOptions {
    fn default() -> Self {
        Self { width: 100, color: false, unicode: true }
    }
}

/// The least width that a report can be read at.
const WIDTH_MIN: usize = 40;

/// A space at which no line is broken.
pub(super) const GLUE: char = '\u{a0}';

/// How a piece of text stands out. Colours only underline what the words say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tone {
    Plain,
    Strong,
    Dim,
    Good,
    Bad,
    Warn,
}

impl Tone {
    fn style(self) -> Style {
        let plain = Style::new();
        match self {
            Self::Plain => plain,
            Self::Strong => plain.bold(),
            Self::Dim => plain.dimmed(),
            Self::Good => AnsiColor::Green.on_default().bold(),
            Self::Bad => AnsiColor::Red.on_default().bold(),
            Self::Warn => AnsiColor::Yellow.on_default().bold(),
        }
    }
}

/// Pieces of text, one after the other.
#[derive(Clone, Debug, Default)]
pub(super) struct Line(Vec<(Tone, String)>);

impl Line {
    /// One piece of plain text.
    pub fn plain(text: &str) -> Self {
        Self::default().add(Tone::Plain, text)
    }

    /// This line, with `text` added at its end.
    #[must_use]
    pub fn add(mut self, tone: Tone, text: &str) -> Self {
        self.0.push((tone, harmless(text)));
        self
    }

    /// This line, filled with spaces up to `width` cells.
    #[must_use]
    pub fn pad(self, width: usize) -> Self {
        let missing = width.saturating_sub(self.width());
        self.add(Tone::Plain, &GLUE.to_string().repeat(missing))
    }

    /// The width in cells.
    pub fn width(&self) -> usize {
        self.0.iter().map(|(_, text)| cells(text)).sum()
    }

    /// Words, each with its pieces and its width, broken where they are wider than `room`.
    fn words(&self, room: usize) -> Vec<(Vec<(Tone, char)>, usize)> {
        let mut words = vec![(Vec::new(), 0)];
        for (tone, c) in self.0.iter().flat_map(|(tone, text)| text.chars().map(move |c| (*tone, c))) {
            let width = c.width().unwrap_or(0);
            if c == ' ' || words.last().is_some_and(|(_, w)| w + width > room) {
                words.push((Vec::new(), 0));
            }
            if c != ' '
                && let Some(word) = words.last_mut()
            {
                word.0.push((tone, if c == GLUE { ' ' } else { c }));
                word.1 += width;
            }
        }
        words.retain(|(word, _)| !word.is_empty());
        words
    }
}

/// The width of a text in terminal cells.
pub(super) fn cells(text: &str) -> usize {
    text.width()
}

/// A text in which no line is broken.
pub(super) fn glued(text: &str) -> String {
    text.replace(' ', &GLUE.to_string())
}

/// A text that neither breaks a line nor commands a terminal.
fn harmless(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' | '\r' | '\t' => safe.push(' '),
            '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{2028}' | '\u{2029}' => {
                safe.extend(c.escape_unicode());
            }
            c if c.is_control() => safe.extend(c.escape_unicode()),
            c => safe.push(c),
        }
    }
    safe
}

/// A text under construction.
pub(super) struct Page {
    options: TextOptions,
    text: String,
}

impl Page {
    /// An empty page.
    pub fn new(options: &TextOptions) -> Self {
        let width = options.width.max(WIDTH_MIN);
        Self { options: TextOptions { width, ..*options }, text: String::new() }
    }

    /// The width of a line in cells.
    pub fn width(&self) -> usize {
        self.options.width
    }

    /// Whether it may be other than ASCII.
    pub fn unicode(&self) -> bool {
        self.options.unicode
    }

    /// What was written.
    pub fn finish(self) -> String {
        self.text
    }

    /// An empty line.
    pub fn blank(&mut self) {
        self.text.push('\n');
    }

    /// Text indented by `indent` spaces, and by two more where it goes on in another line.
    pub fn indented(&mut self, indent: usize, content: &Line) {
        let spaces = |n| Line::default().pad(n);
        self.print(&spaces(indent), &spaces(indent + 2), content);
    }

    /// A paragraph, all of it indented by `indent` spaces.
    pub fn paragraph(&mut self, indent: usize, content: &Line) {
        let spaces = Line::default().pad(indent);
        self.print(&spaces, &spaces, content);
    }

    /// Text that follows `first` in its first line and `rest` in all others.
    pub fn print(&mut self, first: &Line, rest: &Line, content: &Line) {
        let room = |prefix: &Line| self.options.width.saturating_sub(prefix.width()).max(WIDTH_MIN / 4);
        let (first_room, rest_room) = (room(first), room(rest));
        let mut row: Vec<(Tone, char)> = pieces(first);
        let (mut used, mut left) = (0, first_room);
        for (word, width) in content.words(first_room.min(rest_room)) {
            let gap = usize::from(used > 0);
            if used > 0 && gap + width > left {
                self.row(&row);
                row = pieces(rest);
                (used, left) = (0, rest_room);
            } else if gap > 0 {
                // Words that stand out alike stand out as one.
                let before = row.last().map(|(tone, _)| *tone);
                let tone = word.first().map(|(tone, _)| *tone).filter(|tone| Some(*tone) == before);
                row.push((tone.unwrap_or(Tone::Plain), ' '));
                left -= gap;
            }
            row.extend(word);
            used += width;
            left = left.saturating_sub(width);
        }
        self.row(&row);
    }

    fn row(&mut self, row: &[(Tone, char)]) {
        let end = row.iter().rposition(|(_, c)| *c != ' ').map_or(0, |i| i + 1);
        for run in row[..end].chunk_by(|a, b| a.0 == b.0) {
            let style = if self.options.color { run[0].0.style() } else { Style::new() };
            let text: String = run.iter().map(|(_, c)| c).collect();
            self.text.push_str(&format!("{style}{text}{style:#}"));
        }
        self.text.push('\n');
    }
}

/// The characters of a prefix, whose spaces all count.
fn pieces(prefix: &Line) -> Vec<(Tone, char)> {
    let chars = prefix.0.iter().flat_map(|(tone, text)| text.chars().map(move |c| (*tone, c)));
    chars.map(|(tone, c)| (tone, if c == GLUE { ' ' } else { c })).collect()
}

/// A whole number with thousands separators.
pub(super) fn thousands<N: Into<i128>>(n: N) -> String {
    let n: i128 = n.into();
    let digits = n.unsigned_abs().to_string();
    let mut text = String::from(if n < 0 { "-" } else { "" });
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A number and its noun, `1 step` or `1,200 steps`.
pub(super) fn counted(n: usize, noun: &str) -> String {
    let plural = if n == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", thousands(n as u64))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn printed(width: usize, indent: usize, text: &str) -> String {
        let mut page = Page::new(&TextOptions { width, ..TextOptions::default() });
        page.indented(indent, &Line::plain(text));
        page.finish()
    }

    #[test]
    fn lines_break_at_spaces_and_never_exceed_the_width() {
        let text = "the cluster answers 各查询请求 with errors and thisisonewordthatiswiderthanthewholepageanditsmargins";
        for width in 40..80 {
            let page = printed(width, 4, text);
            assert!(page.lines().all(|l| cells(l) <= width && l.trim_end() == l), "{page}");
            assert!(page.lines().skip(1).all(|l| l.starts_with("      ")), "{page}");
            assert_eq!(page.replace(['\n', ' '], ""), text.replace(' ', ""));
        }
    }

    #[test]
    fn text_of_the_model_cannot_command_the_terminal() {
        assert_eq!(printed(100, 0, "a\u{1b}[31m\nb\u{202e}c"), "a\\u{1b}[31m b\\u{202e}c\n");
    }

    #[test]
    fn numbers_are_grouped_by_thousands() {
        assert_eq!([0, 999, 1000, -1_234_567].map(thousands::<i64>), ["0", "999", "1,000", "-1,234,567"]);
        assert_eq!((counted(1, "step"), counted(2000, "claim")), ("1 step".into(), "2,000 claims".into()));
    }
}
