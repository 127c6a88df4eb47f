//! Measures as small plots: one line each, a column for every step of a path.

use super::layout::{Line, Page, Tone, cells, thousands};
use super::result::{StepText, WitnessText};
use serde_json::Value;

const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
/// The same without Unicode: digits, from the least to the greatest value.
const DIGITS: [char; 8] = ['_', '1', '2', '3', '4', '5', '6', '7'];

/// Writes a plot for each measure that varies along a path. Paths too long for the page are left to other formats.
pub(super) fn plots(page: &mut Page, witness: &WitnessText) {
    let steps: Vec<&StepText> = witness.stem.iter().chain(&witness.cycle).collect();
    let Some(first) = steps.first().filter(|_| steps.len() > 2) else { return };
    let values = |name: &str| -> Vec<Option<i64>> {
        steps.iter().map(|step| step.measures.get(name).and_then(Value::as_i64)).collect()
    };
    let series: Vec<(&String, Vec<Option<i64>>)> =
        first.measures.keys().map(|name| (name, values(name))).filter(|(_, v)| varies(v)).collect();
    let name_width = series.iter().map(|(name, _)| cells(name)).max().unwrap_or(0);
    let columns = steps.len() + 3;
    if series.is_empty() || 2 + name_width + 2 + columns + 12 > page.width() {
        return;
    }
    page.blank();
    let joint = if witness.cycle.is_empty() { usize::MAX } else { witness.stem.len() };
    for (name, values) in series {
        let (least, greatest) = range(&values);
        let bars = bars(&values, joint, page.unicode());
        let line = Line::default().add(Tone::Dim, name).pad(name_width + 2).add(Tone::Plain, &bars);
        let scale = format!("{} to {}", thousands(least), thousands(greatest));
        page.indented(2, &line.pad(name_width + 2 + columns).add(Tone::Dim, &scale));
    }
}

fn varies(values: &[Option<i64>]) -> bool {
    let (least, greatest) = range(values);
    least < greatest
}

fn range(values: &[Option<i64>]) -> (i64, i64) {
    let known = || values.iter().flatten().copied();
    (known().min().unwrap_or(0), known().max().unwrap_or(0))
}

/// A bar for each value, and a bracket where the loop starts.
fn bars(values: &[Option<i64>], joint: usize, unicode: bool) -> String {
    let (least, greatest) = range(values);
    // In i128, since the range of an i64 does not fit one.
    let span = (i128::from(greatest) - i128::from(least)).max(1);
    let signs = if unicode { &BARS } else { &DIGITS };
    let top = signs.len() as i128 - 1;
    let mut text = String::new();
    for (i, value) in values.iter().enumerate() {
        if i == joint {
            text.push(if unicode { '│' } else { '|' });
        }
        text.push(match value {
            None => '?',
            Some(value) => {
                let height = (i128::from(*value) - i128::from(least)) * top;
                // Rounded up, so that only the least value looks like it.
                let height = (height + span - 1) / span;
                usize::try_from(height).ok().and_then(|h| signs.get(h)).copied().unwrap_or('?')
            }
        });
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plot_spans_the_least_and_the_greatest_value_and_marks_the_loop() {
        let some = |values: &[i64]| values.iter().copied().map(Some).collect::<Vec<_>>();
        assert_eq!(bars(&some(&[0, 6, 0, 3]), 2, true), "▁█│▁▅");
        assert_eq!(bars(&[Some(-1), None, Some(1)], usize::MAX, false), "_?7");
        assert_eq!(bars(&some(&[i64::MIN, 0, i64::MAX]), usize::MAX, true), "▁▅█");
        assert!(!varies(&some(&[2, 2])) && !varies(&[]) && varies(&some(&[2, 3])));
    }
}
