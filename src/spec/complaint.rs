//! What is wrong with a suite, shown in its text as a compiler shows it.

use crate::model::edits;
use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use std::ops::Range;

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Complaint {
    /// What is wrong, in a sentence.
    pub message: String,
    /// Where, in bytes of the text.
    pub span: Range<usize>,
    /// What stands at the caret: what was expected there.
    pub expected: String,
}

impl Complaint {
    /// Something that is wrong at a place.
    pub fn new(span: Range<usize>, message: impl Into<String>, expected: impl Into<String>) -> Self {
        Self { message: message.into(), span, expected: expected.into() }
    }
}

/// The complaints as text, one after the other, each with the line it is about and a caret. `path` is the file as the user
/// named it.
pub fn rendered(complaints: &[Complaint], path: &str, text: &str, color: bool) -> String {
    let renderer = if color { Renderer::styled() } else { Renderer::plain() };
    let told = complaints.iter().map(|complaint| {
        let span = within(&complaint.span, text);
        let annotation = AnnotationKind::Primary.span(span).label(&complaint.expected);
        let snippet = Snippet::source(text).path(path).annotation(annotation);
        let report = &[Level::ERROR.primary_title(&complaint.message).element(snippet)];
        format!("{}\n", renderer.render(report))
    });
    told.collect::<Vec<_>>().join("\n")
}

/// The span, cut to the text and to whole characters; at least one character where there is one.
fn within(span: &Range<usize>, text: &str) -> Range<usize> {
    let start = text.floor_char_boundary(span.start.min(text.len()));
    let end = text.ceil_char_boundary(span.end.clamp(start, text.len()));
    if start < end {
        return start..end;
    }
    start..text.ceil_char_boundary((end + 1).min(text.len()))
}

/// `, did you mean ..` for a name that is nearly one of the known.
pub fn did_you_mean<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let nearest = known
        .into_iter()
        .map(|k| (edits(name, k), k))
        .filter(|(distance, k)| *distance <= k.chars().count().max(3) / 3)
        .min();
    nearest.map(|(_, k)| format!("; did you mean `{k}`?")).unwrap_or_default()
}

/// The line of a place, counted from 1.
pub fn line_of(text: &str, at: usize) -> usize {
    text.as_bytes().iter().take(at).filter(|b| **b == b'\n').count() + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_complaint_points_into_the_text() {
        let text = "model = \"a.rs\"\nmodle = 1\n";
        let complaint = Complaint::new(15..20, "unknown key `modle`", "did you mean `model`?");
        let told = rendered(&[complaint], "specs/a.toml", text, false);
        assert!(told.contains("specs/a.toml:2:1") && told.contains("^^^^^ did you mean"), "{told}");
    }

    #[test]
    fn a_place_outside_of_the_text_or_inside_a_character_is_no_panic() {
        for text in ["", "ä", "name = \"ä\"\n"] {
            for (start, end) in [(0, 0), (1, 1), (5, 3), (900, 901), (0, 900)] {
                let complaint = Complaint { span: start..end, ..Complaint::new(0..0, "wrong", "right") };
                assert!(rendered(&[complaint], "a.toml", text, false).contains("wrong"));
            }
        }
    }

    #[test]
    fn lines_are_counted_from_one() {
        assert_eq!(
            ["a\nb\n"; 4].iter().zip([0, 1, 2, 9]).map(|(t, at)| line_of(t, at)).collect::<Vec<_>>(),
            [1, 1, 2, 3]
        );
    }
}
