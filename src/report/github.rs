//! What needs attention as annotations of GitHub Actions: workflow commands, a line each.
//!
//! Source of the form: GitHub's documentation, "Workflow commands for GitHub Actions", as of 2026; percent signs and line ends
//! are escaped in messages, colons and commas in properties as well.

use super::run::{Checked, Level};

/// One line for each finding, each with its line end.
pub fn github(run: &[Checked]) -> String {
    run.iter()
        .flat_map(Checked::findings)
        .map(|finding| {
            let level = match finding.level {
                Level::Error => "error",
                Level::Warning => "warning",
            };
            let file = property(&finding.file);
            let title = property(&finding.title);
            format!(
                "::{level} file={file},line={},title={title}::{}\n",
                finding.line,
                message(&finding.message)
            )
        })
        .collect()
}

fn message(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    message(text).replace(':', "%3A").replace(',', "%2C")
}
