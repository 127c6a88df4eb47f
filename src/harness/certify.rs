//! `--certify DIR`: writes a certificate for each claim that holds, reads it back, and has it verified at once.
//!
//! A file holds one JSON object: `model` and `parameters`, which say what the certificate is for, and `certificate`
//! ([`Certificate`]). What a verification takes is said for each: states, edges, seconds and bytes. It runs without limits and
//! cannot be interrupted politely; it needs about as much memory as the search did, after the search has given it back.

use super::handover::Failure;
use crate::certificate::{Certificate, OPERATORS_MAX, Verified, verify};
use crate::model::Checkable;
use crate::property::{System, Temporal, Verdict};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// What a file holds.
#[derive(Debug, Serialize, Deserialize)]
struct Document {
    model: String,
    parameters: Map<String, Value>,
    certificate: Certificate,
}

/// The most characters of a claim's name in the name of a file.
const NAME_CHARS_MAX: usize = 60;

/// Writes and verifies the certificates; one line for each claim that holds says what became of it.
///
/// # Errors
/// Where a file cannot be written or read, or a certificate is refused. The lines before it are lost.
pub(super) fn certify<M: Checkable>(
    system: &System<M>,
    certificates: &[(Verdict, Option<Certificate>)],
    folder: &Path,
    model: &str,
    parameters: &Map<String, Value>,
) -> Result<Vec<String>, Failure> {
    let mut lines = Vec::new();
    for (number, (claim, (verdict, certificate))) in system.claims.iter().zip(certificates).enumerate() {
        let Some(certificate) = certificate else {
            if *verdict == Verdict::Holds {
                lines.push(format!("not certified: {}: {}", claim.name, without(&claim.temporal)));
            }
            continue;
        };
        let path = folder.join(file_name(model, number + 1, &claim.name));
        let document = Document {
            model: model.to_owned(),
            parameters: parameters.clone(),
            certificate: certificate.clone(),
        };
        let text = write_and_read(&path, &document)?;
        let started = Instant::now();
        let verified = match serde_json::from_str::<Document>(&text) {
            Ok(document) => verify(system, claim, &document.certificate).map_err(|error| error.to_string()),
            Err(error) => Err(error.to_string()),
        };
        let Verified { states, edges } = verified.map_err(|error| refused(&claim.name, &error))?;
        let seconds = started.elapsed().as_secs_f64();
        let (name, bytes, file) = (&claim.name, text.len(), path.display());
        lines.push(format!(
            "certified: {name}: {states} states, {edges} edges checked in {seconds:.3} s; {bytes} bytes in {file}"
        ));
    }
    Ok(lines)
}

/// Why there is no certificate of a claim that holds.
fn without(temporal: &Temporal) -> String {
    match temporal {
        Temporal::Ltl(_) => format!("its formula has more than {OPERATORS_MAX} temporal operators"),
        _ => "there are no certificates of this form".to_owned(),
    }
}

fn write_and_read(path: &Path, document: &Document) -> Result<String, Failure> {
    let unusable = |error: &dyn std::fmt::Display| {
        Failure::usage(format!(
            "the certificate `{}` cannot be written or read back: {error}",
            path.display()
        ))
    };
    let mut text = serde_json::to_string(document).map_err(|error| unusable(&error))?;
    text.push('\n');
    let folder = path.parent().unwrap_or(Path::new("."));
    let written = fs::create_dir_all(folder).and_then(|()| fs::write(path, text));
    written.and_then(|()| fs::read_to_string(path)).map_err(|error| unusable(&error))
}

fn refused(claim: &str, error: &str) -> Failure {
    Failure::internal(format!(
        "internal error: the certificate of claim `{claim}` is refused: {error}. This is a fault of aftercalm, or of a model \
         that gives different answers when it is run again; please report it with the model"
    ))
}

/// The model's name without its ending, the claim's number, and its name with dashes for what is no letter or digit.
fn file_name(model: &str, number: usize, claim: &str) -> PathBuf {
    let stem = Path::new(model).file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let words: Vec<&str> = claim.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()).collect();
    let words: String = words.join("-").chars().take(NAME_CHARS_MAX).collect();
    PathBuf::from(format!("{stem}-{number}-{words}.json"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_named_after_the_model_and_the_claim() {
        let name = file_name("models/fb-config.rs", 2, "p leads_to \"q/../r\"");
        assert_eq!(name, Path::new("fb-config-2-p-leads-to-q-r.json"));
    }
}
