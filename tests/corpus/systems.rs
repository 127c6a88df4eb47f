//! Cases that name a system of `tests/peers`.

use crate::allocator::Allocator;
use crate::alternating_bit::AlternatingBit;
use crate::answer::{answer, with_claims};
use crate::cache::Cache;
use crate::coffee_can::CoffeeCan;
use crate::dining::Dining;
use crate::engine::Engine;
use crate::format::Case;
use crate::peer::Peer;
use crate::retry::Retry;
use crate::two_phase::TwoPhase;
use aftercalm::model::Checkable;
use aftercalm::property::{Strength, System};

/// What is wrong with the answers of the engine, or with the name of the system: its parameters, and its fairness where it is
/// another than the usual one.
pub fn judge(case: &Case, name: &str, engine: Engine) -> Vec<String> {
    let words: Vec<&str> = name.split(' ').collect();
    let (name, rest) = words.split_first().unwrap_or((&"", &[]));
    let numbers: Vec<usize> = rest.iter().map_while(|word| word.parse().ok()).collect();
    let variant = rest[numbers.len()..].join(" ");
    let strength = if variant == "weak" { Strength::Weak } else { Strength::Strong };
    let run = Run { case, engine };
    match (*name, numbers.as_slice(), variant.as_str()) {
        ("Retry", [clients, attempts, room, patience], "") => {
            let attempts = u8::try_from(*attempts).unwrap_or(u8::MAX);
            run.judge(Retry { clients: *clients, attempts, room: *room, patience: *patience }.fair())
        }
        ("Cache", [clients, capacity], variant) => {
            let cache = Cache { clients: *clients, capacity: *capacity };
            match variant {
                "" => run.judge(cache.fair()),
                "with strong answers" => run.judge(cache.fair_with_strong_answers()),
                _ => run.unknown(),
            }
        }
        ("Dining", [seats], "") => run.judge(Dining(*seats).fair()),
        ("Dining", [seats], "with strong forks") => run.judge(Dining(*seats).fair_with_strong_forks()),
        ("TwoPhase", [managers], "") => run.judge(TwoPhase(*managers).fair()),
        ("Allocator", [], "weak" | "strong") => run.judge(Allocator(strength).fair()),
        ("AlternatingBit", [], "weak" | "strong") => run.judge(AlternatingBit(strength).fair()),
        ("CoffeeCan", [beans], variant) => {
            let mut system = CoffeeCan(u16::try_from(*beans).unwrap_or(u16::MAX)).fair();
            match variant {
                "" => run.judge(system),
                "without fairness" => {
                    system.fairness.clear();
                    run.judge(system)
                }
                _ => run.unknown(),
            }
        }
        _ => run.unknown(),
    }
}

struct Run<'a> {
    case: &'a Case,
    engine: Engine,
}

impl Run<'_> {
    fn judge<M: Checkable>(&self, system: System<M>) -> Vec<String> {
        let judged = with_claims(system, self.case)
            .and_then(|system| answer(&system, self.case, self.engine, false))
            .map(|(_, wrong)| wrong);
        judged.unwrap_or_else(|error| vec![error])
    }

    fn unknown(&self) -> Vec<String> {
        vec![format!("there is no system `{}`", self.case.system.as_deref().unwrap_or_default())]
    }
}
