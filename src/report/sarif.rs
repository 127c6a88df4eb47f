//! What needs attention as SARIF 2.1.0 (OASIS, 2020), for code scanning: one result for each finding, at its file and line.

use super::run::{Checked, Level, RULES};
use serde_json::{Value, json};

/// The run as one SARIF document, with a line end.
pub fn sarif(run: &[Checked]) -> String {
    let rules: Vec<Value> = RULES
        .iter()
        .map(|(id, meaning)| json!({ "id": id, "shortDescription": { "text": meaning } }))
        .collect();
    let results: Vec<Value> = run
        .iter()
        .flat_map(Checked::findings)
        .map(|finding| {
            let level = match finding.level {
                Level::Error => "error",
                Level::Warning => "warning",
            };
            json!({
                "ruleId": finding.rule,
                "level": level,
                "message": { "text": format!("{}. {}", finding.title, finding.message) },
                "locations": [{
                    "physicalLocation": {
                        "artifactLocation": { "uri": uri(&finding.file) },
                        "region": { "startLine": finding.line },
                    },
                }],
            })
        })
        .collect();
    let document = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "aftercalm",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": rules,
            } },
            "results": results,
        }],
    });
    format!("{document:#}\n")
}

/// A path as a relative or absolute URI reference: what may not stand in one is escaped (RFC 3986).
fn uri(path: &str) -> String {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"-._~/".contains(&b);
    let escaped: String = path
        .trim_start_matches("./")
        .bytes()
        .map(|b| if plain(b) { char::from(b).to_string() } else { format!("%{b:02X}") })
        .collect();
    if path.starts_with('/') { format!("file://{escaped}") } else { escaped }
}
