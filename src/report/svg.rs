//! Pictures: a path as a sequence diagram, and measures as plots. Plain SVG, readable without scripts and in print.
//!
//! Elements that belong to a step carry `data-step`, so that the page's script can point at it.

use super::result::{ActorText, StepText, WitnessText};
use super::sequence::{Arrow, Sequence, triggered};
use serde_json::Value;
use std::collections::HashMap;
use std::fmt::Write;

/// The width that a diagram fills, and the least and greatest width of a column in it.
const WIDTH: usize = 1060;
const COLUMN: (usize, usize) = (190, 380);
const ROW: usize = 44;
const HEAD: usize = 46;
const LEFT: usize = 40;
/// The width of a character, at the most, by which labels are cut; the whole text is in their titles.
const LETTER: usize = 7;

const PLOT_WIDTH: usize = 720;
const PLOT_HEIGHT: usize = 84;
const PLOT_LEFT: usize = 64;
/// How many turns of a loop a plot shows.
pub(super) const TURNS: usize = 3;

/// Text as HTML and SVG have it.
pub(super) fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            '\n' | '\t' => safe.push(' '),
            '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => safe.extend(c.escape_unicode()),
            c if c.is_control() => safe.extend(c.escape_unicode()),
            c => safe.push(c),
        }
    }
    safe
}

/// How many labels stand at each place.
type Labels = HashMap<(usize, usize), usize>;

/// The places of things in a diagram.
struct Grid {
    column: usize,
}

impl Grid {
    fn new(actors: usize) -> Self {
        Self { column: (WIDTH / actors.max(1)).clamp(COLUMN.0, COLUMN.1) }
    }

    /// The line of an actor.
    fn column(&self, place: usize) -> usize {
        LEFT + place * self.column + self.column / 2
    }

    /// A label that does not reach the next actor.
    fn cut(&self, text: &str) -> String {
        let most = self.column / LETTER - 4;
        if text.chars().count() <= most {
            return text.to_owned();
        }
        text.chars().take(most - 1).collect::<String>() + "…"
    }
}

/// The sequence diagram of a witness; none where no message is in it. `id` makes its names unique on a page.
pub(super) fn diagram(witness: &WitnessText, actors: &[ActorText], id: &str) -> Option<String> {
    let sequence = Sequence::of(witness, actors)?;
    let grid = Grid::new(sequence.actors.len());
    let width = LEFT + sequence.actors.len() * grid.column;
    let height = HEAD + sequence.steps * ROW + 16;
    let mut svg = format!(
        "<svg class=\"sequence\" role=\"img\" aria-labelledby=\"{id}-t {id}-d\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
         height=\"{height}\" xmlns=\"http://www.w3.org/2000/svg\">\n<title id=\"{id}-t\">Sequence diagram</title>\n\
         <desc id=\"{id}-d\">{}</desc>\n<defs><marker id=\"{id}-m\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"8\" \
         markerHeight=\"8\" orient=\"auto\"><path d=\"M0 0L8 4L0 8z\"/></marker></defs>\n",
        escaped(&described(&sequence))
    );
    backgrounds(&mut svg, &sequence, width);
    for (place, name) in sequence.actors.iter().enumerate() {
        let x = grid.column(place);
        let _ = writeln!(
            svg,
            "<text class=\"actor\" x=\"{x}\" y=\"24\" text-anchor=\"middle\">{}</text><line class=\"life\" x1=\"{x}\" y1=\"34\" \
             x2=\"{x}\" y2=\"{height}\"/>",
            escaped(&grid.cut(name))
        );
    }
    let mut labels = Labels::new();
    let mut rest: &[Arrow] = &sequence.arrows;
    while let Some(first) = rest.first() {
        let way = |a: &Arrow| (a.from, a.to, a.sent, a.arrived, a.mishap.clone());
        let together = rest.iter().take_while(|a| way(a) == way(first)).count();
        arrow(&mut svg, &grid, &mut labels, &rest[..together], id);
        rest = &rest[together..];
    }
    deeds(&mut svg, &grid, &sequence);
    svg.push_str("</svg>\n");
    Some(svg)
}

/// The middle of a step's row.
fn row(step: usize) -> usize {
    HEAD + step * ROW + ROW / 2
}

fn described(sequence: &Sequence) -> String {
    let mut text = format!("{} actors, {} steps", sequence.actors.len(), sequence.steps.saturating_sub(1));
    if let Some(start) = sequence.loop_start {
        let _ = write!(text, "; from step {start} on a loop that is taken for ever");
    }
    text + ". The steps are listed as text beside it."
}

fn backgrounds(svg: &mut String, sequence: &Sequence, width: usize) {
    for step in 0..sequence.steps {
        let y = HEAD + step * ROW;
        let class = if sequence.triggered[step] { "row triggered" } else { "row" };
        let _ = writeln!(
            svg,
            "<g data-step=\"{step}\"><rect class=\"{class}\" x=\"0\" y=\"{y}\" width=\"{width}\" height=\"{ROW}\"/>\
             <text class=\"number\" x=\"22\" y=\"{}\" text-anchor=\"end\">{step}</text></g>",
            row(step) + 4
        );
    }
    if let Some(start) = sequence.loop_start {
        let (y, height) = (HEAD + start * ROW + 2, (sequence.steps - start) * ROW - 4);
        let _ = writeln!(
            svg,
            "<rect class=\"loop\" x=\"28\" y=\"{y}\" width=\"{}\" height=\"{height}\" rx=\"6\"/>\
             <text class=\"loop-name\" x=\"34\" y=\"{}\">loop</text>",
            width - 32,
            y + 14
        );
    }
}

/// Messages that travelled the same way, as one arrow.
fn arrow(svg: &mut String, grid: &Grid, labels: &mut Labels, together: &[Arrow], id: &str) {
    let first = &together[0];
    let (from, to) = (grid.column(first.from), grid.column(first.to));
    let step = first.arrived.or(first.sent).unwrap_or(0);
    let y_to = first.arrived.map_or_else(|| row(step) + ROW / 2, |arrived| row(arrived) - 6);
    let y_from = first.sent.map_or_else(|| y_to.saturating_sub(ROW / 2), |sent| row(sent) + 6);
    let class = match (&first.mishap, first.arrived) {
        (Some(_), _) => "arrow mishap",
        (None, None) => "arrow open",
        _ => "arrow",
    };
    let told =
        |a: &Arrow| if a.count == 1 { a.message.clone() } else { format!("{} {}", a.count, a.message) };
    let mut text = together.iter().map(told).collect::<Vec<_>>().join(", ");
    if let Some(what) = &first.mishap {
        let _ = write!(text, " ({what})");
    } else if first.arrived.is_none() {
        text.push_str(" (under way)");
    }
    // A label stands near the arrow's end, on the side it comes from.
    let (x_label, y_label, anchor) =
        if to > from { (to - 14, y_to.saturating_sub(7), "end") } else { (to + 14, y_to + 12, "start") };
    // Labels at one place stand below each other.
    let before = labels.entry((x_label, y_label)).or_default();
    let y_label = y_label + 12 * *before;
    *before += 1;
    let _ = writeln!(
        svg,
        "<g data-step=\"{step}\" class=\"{class}\"><title>{}</title><line x1=\"{from}\" y1=\"{y_from}\" x2=\"{to}\" y2=\"{y_to}\" \
         marker-end=\"url(#{id}-m)\"/><text x=\"{x_label}\" y=\"{}\" text-anchor=\"{anchor}\">{}</text></g>",
        escaped(&text),
        y_label,
        escaped(&grid.cut(&text))
    );
}

fn deeds(svg: &mut String, grid: &Grid, sequence: &Sequence) {
    for of_step in sequence.deeds.chunk_by(|a, b| a.step == b.step && a.actor == b.actor) {
        let text = of_step.iter().map(|d| d.text.as_str()).collect::<Vec<_>>().join(", ");
        let (step, x) = (of_step[0].step, grid.column(of_step[0].actor));
        let _ = writeln!(
            svg,
            "<g data-step=\"{step}\" class=\"deed\"><title>{}</title><circle cx=\"{x}\" cy=\"{}\" r=\"3\"/><text x=\"{}\" y=\"{}\">{}</text></g>",
            escaped(&text),
            row(step) + 6,
            x + 7,
            row(step) + 19,
            escaped(&grid.cut(&text))
        );
    }
}

/// A plot for each measure, over the stem and some turns of the loop, with the time of triggers shaded.
pub(super) fn plots(witness: &WitnessText, actors: &[ActorText], id: &str) -> String {
    let steps: Vec<&StepText> = witness.stem.iter().chain(&witness.cycle).collect();
    let Some(first) = steps.first() else { return String::new() };
    let shaded = triggered(&steps, actors);
    let names = first.measures.keys().enumerate();
    names.map(|(i, name)| plot(name, witness, &shaded, &format!("{id}-p{i}"))).collect()
}

/// The values along the stem and the turns of the loop. In a loop that grows each turn starts where the last one ended.
pub(super) fn series(witness: &WitnessText, name: &str) -> Vec<Option<i64>> {
    let value = |step: &StepText| step.measures.get(name).and_then(Value::as_i64);
    let mut values: Vec<Option<i64>> = witness.stem.iter().map(value).collect();
    let start = values.last().copied().flatten();
    let end = witness.cycle.last().and_then(value);
    let gain = start.zip(end).map_or(0, |(start, end)| end.saturating_sub(start));
    for turn in 0..TURNS as i64 {
        values.extend(
            witness.cycle.iter().map(|step| value(step).map(|v| v.saturating_add(gain.saturating_mul(turn)))),
        );
    }
    values
}

fn plot(name: &str, witness: &WitnessText, shaded: &[bool], id: &str) -> String {
    let values = series(witness, name);
    let known: Vec<i64> = values.iter().flatten().copied().collect();
    let (Some(&least), Some(&most)) = (known.iter().min(), known.iter().max()) else { return String::new() };
    let span = (i128::from(most) - i128::from(least)).max(1);
    let inner = PLOT_WIDTH - PLOT_LEFT - 8;
    let x = |step: usize| PLOT_LEFT + inner * step / values.len().max(1);
    let y = |v: i64| 10 + ((i128::from(most) - i128::from(v)) * (PLOT_HEIGHT as i128 - 26) / span) as usize;
    let mut svg = format!(
        "<svg class=\"plot\" role=\"img\" aria-labelledby=\"{id}-t\" viewBox=\"0 0 {PLOT_WIDTH} {PLOT_HEIGHT}\" width=\"{PLOT_WIDTH}\" \
         height=\"{PLOT_HEIGHT}\" xmlns=\"http://www.w3.org/2000/svg\"><title id=\"{id}-t\">{}: from {least} to {most}</title>\n",
        escaped(name)
    );
    for (step, _) in shaded.iter().enumerate().filter(|(_, on)| **on) {
        let _ = write!(
            svg,
            "<rect class=\"row triggered\" x=\"{}\" y=\"4\" width=\"{}\" height=\"{}\"/>",
            x(step),
            x(step + 1) - x(step),
            PLOT_HEIGHT - 20
        );
    }
    for turn in 0..TURNS {
        if witness.cycle.is_empty() {
            break;
        }
        let at = x(witness.stem.len() + turn * witness.cycle.len());
        let _ = write!(
            svg,
            "<line class=\"turn\" x1=\"{at}\" y1=\"4\" x2=\"{at}\" y2=\"{0}\"/><text class=\"small\" x=\"{1}\" y=\"{2}\">turn {3}</text>",
            PLOT_HEIGHT - 16,
            at + 3,
            PLOT_HEIGHT - 4,
            turn + 1
        );
    }
    let mut path = String::new();
    for (step, value) in values.iter().enumerate() {
        if let Some(value) = value {
            let _ = write!(
                path,
                "{}{} {}H{}",
                if path.is_empty() { "M" } else { "L" },
                x(step),
                y(*value),
                x(step + 1)
            );
        }
    }
    let _ = write!(
        svg,
        "<path class=\"line\" d=\"{path}\"/><text class=\"small\" x=\"{0}\" y=\"14\" text-anchor=\"end\">{most}</text>\
         <text class=\"small\" x=\"{0}\" y=\"{1}\" text-anchor=\"end\">{least}</text>",
        PLOT_LEFT - 6,
        PLOT_HEIGHT - 14
    );
    svg.push_str("</svg>\n");
    format!("<figure><figcaption>{}</figcaption>{svg}</figure>\n", escaped(name))
}
