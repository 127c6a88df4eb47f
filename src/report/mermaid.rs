//! A witness as a Mermaid sequence diagram, which GitHub, GitLab and many wikis draw.

use super::result::{CaseResult, ClaimResult};
use super::sequence::{Arrow, Sequence};

/// The diagram of one claim's witness, with a line end. None: it has none, or the model is no timed system.
pub fn mermaid(case: &CaseResult, claim: &ClaimResult) -> Option<String> {
    let sequence = Sequence::of(claim.witness.as_ref()?, &case.actors)?;
    let mut text =
        format!("---\ntitle: \"{}\"\n---\nsequenceDiagram\n", plain(&claim.name).replace('"', "'"));
    for (place, name) in sequence.actors.iter().enumerate() {
        text.push_str(&format!("  participant a{place} as {}\n", plain(name)));
    }
    let mut shaded = false;
    for step in 0..sequence.steps {
        if sequence.loop_start == Some(step) {
            end_shade(&mut text, &mut shaded);
            text.push_str("  loop taken for ever\n");
        }
        if sequence.triggered[step] != shaded {
            text.push_str(if shaded { "  end\n" } else { "  rect rgb(255, 235, 205)\n" });
            shaded = !shaded;
        }
        for arrow in sequence.arrows.iter().filter(|a| told_at(a) == step) {
            text.push_str(&line(arrow, step));
        }
        for deed in sequence.deeds.iter().filter(|d| d.step == step) {
            text.push_str(&format!("  Note over a{}: {step}: {}\n", deed.actor, plain(&deed.text)));
        }
    }
    end_shade(&mut text, &mut shaded);
    if sequence.loop_start.is_some() {
        text.push_str("  end\n");
    }
    Some(text)
}

fn end_shade(text: &mut String, shaded: &mut bool) {
    if *shaded {
        text.push_str("  end\n");
        *shaded = false;
    }
}

/// A message is told where it arrives; one that does not, where it was sent.
fn told_at(arrow: &Arrow) -> usize {
    arrow.arrived.or(arrow.sent).unwrap_or(0)
}

fn line(arrow: &Arrow, step: usize) -> String {
    let sign = match (&arrow.mishap, arrow.arrived) {
        (Some(what), _) if what != "duplicated" => "-x",
        (None, None) => "--)",
        _ => "->>",
    };
    let count = if arrow.count == 1 { String::new() } else { format!("{} ", arrow.count) };
    let remark = match (&arrow.mishap, arrow.sent, arrow.arrived) {
        (Some(what), ..) => format!(" ({what})"),
        (None, _, None) => " (under way)".to_owned(),
        (None, Some(sent), Some(arrived)) if arrived > sent + 1 => format!(" (sent in {sent})"),
        _ => String::new(),
    };
    let message = plain(&arrow.message);
    format!("  a{}{sign}a{}: {step}: {count}{message}{remark}\n", arrow.from, arrow.to)
}

/// A text in which nothing is a command of Mermaid's.
fn plain(text: &str) -> String {
    let mut plain = String::new();
    for c in text.chars() {
        match c {
            ';' => plain.push_str("#59;"),
            '#' => plain.push_str("#35;"),
            '<' => plain.push_str("#lt;"),
            '>' => plain.push_str("#gt;"),
            c if c.is_control() => plain.push(' '),
            c => plain.push(c),
        }
    }
    plain
}
