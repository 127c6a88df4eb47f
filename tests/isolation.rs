//! `isolated m from b`: two tenants of one service.

use aftercalm::check::{CheckError, Limits, check};
use aftercalm::property::{Kind, ModelExt, System, SystemError, Verdict, always, isolated};
use stateright::Model;

/// Two tenants send requests each tick to a service that serves so many; the quiet tenant sends zero or one, the other one up
/// to `burst`.
#[derive(Clone, Debug)]
struct Service {
    burst: u8,
    capacity: u8,
    /// Whether each tenant has a share of its own.
    shares: bool,
}

/// What the two tenants sent in the last tick, and how much of the quiet one's was served.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Tick {
    quiet: u8,
    served: u8,
}

impl Model for Service {
    type State = Tick;
    type Action = (u8, u8);
    fn init_states(&self) -> Vec<Tick> {
        vec![Tick { quiet: 0, served: 0 }]
    }
    fn actions(&self, _: &Tick, actions: &mut Vec<(u8, u8)>) {
        actions.extend((0..=1).flat_map(|q| (0..=self.burst).map(move |b| (q, b))));
    }
    fn next_state(&self, _: &Tick, (quiet, other): (u8, u8)) -> Option<Tick> {
        let left = if self.shares { 1 } else { self.capacity.saturating_sub(other) };
        Some(Tick { quiet, served: quiet.min(left) })
    }
}

fn service(burst: u8, capacity: u8, shares: bool) -> System<Service> {
    // What the quiet tenant sees: refused (0), no need (1), served (2).
    Service { burst, capacity, shares }
        .system()
        .measure("quiet", "outcome", |_, s| if s.quiet == 0 { 1 } else { i64::from(s.served) * 2 })
        .atom("fine", |_, _| true)
}

fn isolation(burst: u8, capacity: u8, shares: bool) -> (Verdict, Option<Kind>, usize) {
    let system = service(burst, capacity, shares)
        .behaving("other", service(2, capacity, shares))
        .claim(isolated("quiet", "other"));
    let decision = check(&system, &Limits::default()).unwrap().decisions.remove(0);
    (decision.verdict, decision.kind, decision.witness.map_or(0, |w| w.stem.len() - 1))
}

#[test]
fn a_tenant_is_isolated_exactly_where_the_burst_leaves_its_capacity() {
    for burst in 2..6 {
        for capacity in 3..7 {
            let expected = if burst < capacity {
                (Verdict::Holds, None, 0)
            } else {
                (Verdict::Violated, Some(Kind::Safety), 1)
            };
            assert_eq!(isolation(burst, capacity, false), expected, "burst {burst}, capacity {capacity}");
        }
        assert_eq!(isolation(burst, 3, true).0, Verdict::Holds);
    }
}

/// A counter that runs 0 1 2 .. n and stays there; with `early` it may also stay at 1.
#[derive(Clone, Debug)]
struct Run {
    early: bool,
}

impl Model for Run {
    type State = (u8, bool);
    type Action = bool;
    fn init_states(&self) -> Vec<(u8, bool)> {
        vec![(0, false)]
    }
    fn actions(&self, state: &(u8, bool), actions: &mut Vec<bool>) {
        if !state.1 && state.0 < 3 {
            actions.push(false);
            if self.early && state.0 == 1 {
                actions.push(true);
            }
        }
    }
    fn next_state(&self, state: &(u8, bool), stay: bool) -> Option<(u8, bool)> {
        Some(if stay { (state.0, true) } else { (state.0 + 1, false) })
    }
}

#[test]
fn values_are_compared_as_sequences_and_not_one_by_one() {
    let run =
        |early: bool| Run { early }.system().measure("m", "", |_, s| i64::from(s.0)).atom("t", |_, _| true);
    let verdict = |system: System<Run>| check(&system, &Limits::default()).unwrap().decisions.remove(0);
    // 0 1 1 shows no value that 0 1 2 3 does not show, and yet no path of the other shows it.
    let differs = verdict(run(true).behaving("b", run(false)).claim(isolated("m", "b")));
    assert_eq!((differs.verdict, differs.witness.unwrap().stem.len()), (Verdict::Violated, 3));
    // The other way round every sequence occurs; an end state shows its value for ever.
    assert_eq!(
        verdict(run(false).behaving("b", run(true)).claim(isolated("m", "b"))).verdict,
        Verdict::Holds
    );
}

#[test]
fn a_limit_hit_in_either_system_is_inconclusive() {
    let system =
        service(4, 3, false).behaving("other", service(2, 3, false)).claim(isolated("quiet", "other"));
    let limits = Limits { depth_max: Some(0), ..Limits::default() };
    let decision = check(&system, &limits).unwrap().decisions.remove(0);
    assert_eq!(decision.verdict, Verdict::Inconclusive);
}

#[test]
fn a_claim_without_its_variant_or_with_an_antecedent_is_an_error() {
    let system = service(4, 3, false).claim(isolated("quiet", "other"));
    let error = check(&system, &Limits::default()).unwrap_err();
    assert!(matches!(error, CheckError::System(SystemError::NoVariant { .. })), "{error}");
    let system = service(4, 3, false)
        .behaving("other", service(2, 3, false))
        .claim(always("fine"))
        .claim(isolated("quiet", "other").after("fine"));
    let error = check(&system, &Limits::default()).unwrap_err();
    assert!(error.to_string().contains("cannot be said `after`"), "{error}");
}
