//! What was found against what is expected.
//!
//! A name that the model does not have is a fault of the suite, shown at its place. Everything else that differs is drift.

use super::complaint::{Complaint, did_you_mean, line_of};
use super::suite::{Case, Expected, Named, Remedy};
use crate::property::Verdict;
use crate::report::{AmplificationText, CaseResult, ClaimResult, Drift};
use std::fmt::Display;

/// How `result` differs from what `case` expects; `text` is the suite's text.
///
/// # Errors
/// Claims and measures that the model does not have.
pub fn compare(case: &Case, result: &CaseResult, text: &str) -> Result<Vec<Drift>, Vec<Complaint>> {
    let complaints = unknown_names(case, result);
    if !complaints.is_empty() {
        return Err(complaints);
    }
    let mut comparison = Comparison { text, drift: Vec::new() };
    for claim in &result.claims {
        match case.expected.iter().find(|e| e.claim.value == claim.name) {
            Some(expected) => comparison.claim(expected, claim),
            None => comparison.drift.push(Drift {
                about: format!("claim `{}`", claim.name),
                claim: Some(claim.name.clone()),
                expected: "nothing: the suite does not mention it".to_owned(),
                found: found(claim),
                line: Some(line_of(text, case.name.span.start)),
            }),
        }
    }
    if let Some(states) = &case.states {
        comparison.number("the number of states", None, states, Some(result.states));
    }
    for (measure, peak) in &case.peaks {
        let found = result.peaks.iter().find(|p| p.measure == measure.value).map(|p| p.value);
        let expected = Named { value: *peak, span: measure.span.clone() };
        comparison.number(&format!("the peak of `{}`", measure.value), None, &expected, found);
    }
    for (offered, ratio) in &case.amplifications {
        let found = result.amplifications.iter().find(|a| a.offered == offered.value).map(|a| a.peak);
        comparison.amplification(offered, *ratio, found);
    }
    Ok(comparison.drift)
}

/// What was found of a claim, in a few words: `violated (trap)`.
pub fn found(claim: &ClaimResult) -> String {
    shown(claim.verdict, claim.kind, claim.lasso)
}

fn shown(verdict: Verdict, kind: Option<impl Display>, lasso: Option<impl Display>) -> String {
    let more: Vec<String> =
        kind.map(|k| k.to_string()).into_iter().chain(lasso.map(|l| l.to_string())).collect();
    if more.is_empty() { verdict.to_string() } else { format!("{verdict} ({})", more.join(", ")) }
}

struct Comparison<'a> {
    text: &'a str,
    drift: Vec<Drift>,
}

impl Comparison<'_> {
    fn claim(&mut self, expected: &Expected, claim: &ClaimResult) {
        let about = format!("claim `{}`", claim.name);
        let kind = expected.kind.as_ref().map(|k| k.value);
        let lasso = expected.lasso.as_ref().map(|l| l.value);
        let differs = claim.verdict != expected.verdict.value
            || kind.is_some_and(|kind| claim.kind != Some(kind))
            || lasso.is_some_and(|lasso| claim.lasso != Some(lasso));
        if differs {
            let wanted = shown(expected.verdict.value, kind, lasso);
            let mut was = found(claim);
            if claim.verdict != Verdict::Violated
                && let Some(detail) = &claim.detail
            {
                was = format!("{was}: {detail}");
            }
            self.push(&about, Some(&claim.name), wanted, was, expected.verdict.span.start);
            // What follows from another verdict need not be told as well.
            return;
        }
        let of_claim = |what: &str| format!("{what} of {about}");
        let name = Some(claim.name.as_str());
        if let Some(worst) = &expected.worst_ticks {
            self.number(&of_claim("the worst case in ticks"), name, worst, claim.worst_ticks);
        }
        if let Some(peak) = &expected.peak {
            self.number(&of_claim("the peak"), name, peak, claim.peak);
        }
        let tipping = claim.tipping.as_ref();
        if let Some(least) = &expected.tipping {
            let found = tipping.map(|t| weights(&t.least));
            self.words(
                &of_claim("the smallest trigger"),
                name,
                weights(&least.value),
                found,
                least.span.start,
            );
        }
        if let Some(most) = &expected.survived {
            let found = tipping.and_then(|t| t.survived.as_deref()).map(weights);
            self.words(
                &of_claim("the largest trigger survived"),
                name,
                weights(&most.value),
                found,
                most.span.start,
            );
        }
        if let Some(remedy) = &expected.remedy {
            let found = claim.remedy.as_ref().map(|r| match r.actions {
                None => "none is enough".to_owned(),
                Some(_) => r.order.join(", then "),
            });
            let wanted = match &remedy.value {
                Remedy::None => "none is enough".to_owned(),
                Remedy::Actions(actions) => actions.join(", then "),
            };
            self.words(&of_claim("the cheapest intervention"), name, wanted, found, remedy.span.start);
        }
    }

    fn number<T: Display + PartialEq>(
        &mut self,
        about: &str,
        claim: Option<&str>,
        expected: &Named<T>,
        found: Option<T>,
    ) {
        let found = found.map(|n| n.to_string());
        self.words(about, claim, expected.value.to_string(), found, expected.span.start);
    }

    fn amplification(&mut self, offered: &Named<String>, ratio: [i64; 2], found: Option<[i64; 2]>) {
        let equal = |a: [i64; 2], b: [i64; 2]| {
            i128::from(a[0]) * i128::from(b[1]) == i128::from(b[0]) * i128::from(a[1])
        };
        if found.is_some_and(|found| equal(found, ratio)) {
            return;
        }
        let shown = |[a, b]: [i64; 2]| format!("{a}/{b}");
        let about = format!("the amplification of `{}`", offered.value);
        self.words(&about, None, shown(ratio), found.map(shown), offered.span.start);
    }

    fn words(
        &mut self,
        about: &str,
        claim: Option<&str>,
        expected: String,
        found: Option<String>,
        at: usize,
    ) {
        if found.as_ref() != Some(&expected) {
            let found = found.unwrap_or_else(|| "none: it was not computed".to_owned());
            self.push(about, claim, expected, found, at);
        }
    }

    fn push(&mut self, about: &str, claim: Option<&str>, expected: String, found: String, at: usize) {
        let line = Some(line_of(self.text, at));
        self.drift.push(Drift {
            about: about.to_owned(),
            claim: claim.map(str::to_owned),
            expected,
            found,
            line,
        });
    }
}

fn weights(weights: &[i64]) -> String {
    weights.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

fn unknown_names(case: &Case, result: &CaseResult) -> Vec<Complaint> {
    let claims: Vec<&str> = result.claims.iter().map(|c| c.name.as_str()).collect();
    let measures: Vec<&str> = result.peaks.iter().map(|p| p.measure.as_str()).collect();
    let amplified = |a: &AmplificationText| a.offered.clone();
    let offered: Vec<String> = result.amplifications.iter().map(amplified).collect();
    let offered: Vec<&str> = offered.iter().map(String::as_str).collect();
    let of_claims = case.expected.iter().map(|e| (&e.claim, "claim", &claims));
    let of_measures = case.peaks.iter().map(|(measure, _)| (measure, "measure", &measures));
    let of_loads = case.amplifications.iter().map(|(load, _)| (load, "amplified load", &offered));
    of_claims
        .chain(of_measures)
        .chain(of_loads)
        .filter(|(name, _, known)| !known.contains(&name.value.as_str()))
        .map(|(name, sort, known)| {
            let near = did_you_mean(&name.value, known.iter().copied());
            let listed = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
            let message = format!("the model has no {sort} `{}`{near}", name.value);
            Complaint::new(name.span.clone(), message, format!("it has: {listed}"))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::{read, sample};
    use super::*;
    use crate::property::{Kind, Lasso};
    use crate::report::{RemedyText, TippingText};

    fn drift(case: &str, result: &CaseResult) -> Vec<String> {
        let text = format!("model = \"a.rs\"\n[[case]]\nname = \"c\"\n{case}\n");
        let suite = read(&text).unwrap();
        match compare(&suite.cases[0], result, &text) {
            Ok(drift) => {
                drift.iter().map(|d| format!("{} | {} | {}", d.about, d.expected, d.found)).collect()
            }
            Err(complaints) => complaints.iter().map(|c| format!("{}: {}", c.message, c.expected)).collect(),
        }
    }

    #[test]
    fn what_is_as_expected_is_no_drift_and_everything_else_is() {
        let mut result = sample(&[("a", Verdict::Violated, Some(Kind::Lasso))]);
        result.claims[0].lasso = Some(Lasso::Flaps);
        result.claims[0].worst_ticks = Some(4);
        let path = Vec::new();
        result.claims[0].tipping = Some(TippingText {
            measures: vec!["t".into()],
            least: vec![3],
            survived: Some(vec![2]),
            path: path.clone(),
        });
        result.claims[0].remedy =
            Some(RemedyText { actions: Some(2), order: vec!["stop".into(), "admit".into()], worst: 0, path });
        let same = "states = 9\npeaks = { queue = 8 }\namplification = { offered = \"10/4\" }\nexpect = { a = { verdict = \"violated\", kind = \
                    \"lasso\", loop = \"flaps\", worst_ticks = 4, tipping = [3], survived = [2], remedy = [\"stop\", \"admit\"] } }";
        assert_eq!(drift(same, &result), [""; 0]);
        let violated =
            |more: &str| drift(&format!("expect = {{ a = {{ verdict = \"violated\", {more} }} }}"), &result);
        assert_eq!(violated("kind = \"trap\""), ["claim `a` | violated (trap) | violated (lasso, flaps)"]);
        assert_eq!(
            violated("loop = \"stalls\""),
            ["claim `a` | violated (stalls) | violated (lasso, flaps)"]
        );
        assert_eq!(violated("worst_ticks = 5"), ["the worst case in ticks of claim `a` | 5 | 4"]);
        assert_eq!(violated("peak = 5"), ["the peak of claim `a` | 5 | none: it was not computed"]);
        assert_eq!(violated("tipping = [2]"), ["the smallest trigger of claim `a` | 2 | 3"]);
        assert_eq!(violated("survived = [1]"), ["the largest trigger survived of claim `a` | 1 | 2"]);
        assert_eq!(
            violated("remedy = [\"admit\", \"stop\"]"),
            ["the cheapest intervention of claim `a` | admit, then stop | stop, then admit"]
        );
        assert_eq!(violated("remedy = \"none\"").len(), 1);
        let figures = drift(
            "states = 1\npeaks = { queue = 1 }\namplification = { offered = \"2/1\" }\nexpect = { a = \"violated\" }",
            &result,
        );
        assert_eq!(
            figures,
            [
                "the number of states | 1 | 9",
                "the peak of `queue` | 1 | 8",
                "the amplification of `offered` | 2/1 | 5/2"
            ]
        );
    }

    #[test]
    fn a_claim_that_the_suite_does_not_mention_is_drift() {
        let result = sample(&[("a", Verdict::Holds, None), ("b", Verdict::Holds, None)]);
        let told = drift("expect = { a = \"holds\" }", &result);
        assert_eq!(told, ["claim `b` | nothing: the suite does not mention it | holds"]);
    }

    #[test]
    fn names_that_the_model_does_not_have_are_the_suites_fault() {
        let result = sample(&[("stays valid", Verdict::Holds, None)]);
        let told = drift(
            "peaks = { quue = 1 }\namplification = { x = \"1/1\" }\nexpect = { \"stays vald\" = \"holds\" }",
            &result,
        );
        assert_eq!(told.len(), 3);
        assert!(told[0].contains("did you mean `stays valid`?") && told[1].contains("`queue`"), "{told:?}");
    }
}
