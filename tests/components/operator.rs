//! Operators: actions in order, at any moment or never, and what the checker makes of them.

use crate::setup::{TICK, after, checked, verdicts};
use aftercalm::actor::{Phase, TimedSystem, Trigger, exactly};
use aftercalm::component::{Assemble, Control, Msg, Operator, Population, Server, system};
use aftercalm::property::{ModelExt, System, stabilizes};
use std::collections::BTreeSet;

/// A server that fails and needs somebody to repair it.
fn broken(declared: bool) -> System<TimedSystem<Msg>> {
    let mut sys = system(TICK);
    let server = sys.install("server", Server::new(1));
    let clients = sys.install("clients", Population::open(server, 1..=1).timeout(2));
    let operator = Operator::new()
        .on_call()
        .then("look around", [] as [(stateright::actor::Id, Control); 0])
        .then("repair", [(server, Control::Repair)]);
    let operator = sys.add("operator", operator);
    let failure =
        Trigger::for_good().at_start(server, Control::Fail.into()).at_start(operator, Control::Call.into());
    let failure = sys.add("failure", failure);
    let mut system = sys
        .system()
        .atoms(Server::atoms(server, "server"))
        .measures(Population::measures(clients, "clients"))
        .atom("failed", move |_, s| s[failure] == Phase::Active)
        .atom("mended", move |m, s| Operator::done(operator, 2)(m, s) && s[failure] == Phase::Active)
        .claim(stabilizes("server_up").after("failed"))
        .claim(stabilizes("server_up").after("mended"));
    if declared {
        system = system
            .operator("look around", Operator::acts(operator, 0))
            .operator("repair", Operator::acts(operator, 1));
    }
    system
}

#[test]
fn actions_come_in_their_order_at_any_moment_or_never() {
    let mut sys = system(TICK);
    let server = sys.install("server", Server::new(1));
    let operator = Operator::new().then("one", [(server, Control::SetCapacity(5))]).then_within(
        exactly(TICK * 2),
        "two",
        [(server, Control::SetCapacity(7))],
    );
    let operator = sys.add("operator", operator);
    let seen =
        |n| after(&sys, n).iter().map(|s| (s[operator].taken, s[server].capacity)).collect::<BTreeSet<_>>();
    assert_eq!(seen(1), [(0, 1), (1, 1)].into());
    assert_eq!(seen(2), [(0, 1), (1, 1), (1, 5)].into());
    assert_eq!(seen(4), [(0, 1), (1, 1), (1, 5), (2, 5), (2, 7)].into());
    assert!(after(&sys, 9).iter().any(|s| s[operator].taken == 0), "perhaps never");
}

#[test]
fn nothing_counts_on_an_operator_and_the_report_says_what_one_could_do() {
    let undeclared = broken(false);
    assert_eq!(verdicts(&undeclared)[0], "lasso", "an operator may come, but need not");
    let declared = broken(true);
    assert_eq!(verdicts(&declared)[0], "trap", "without one there is no way back");
    let outcome = checked(&declared);
    let remedy = outcome.decisions[0].remedy.as_ref().unwrap();
    assert_eq!(
        (remedy.actions, remedy.order.as_slice()),
        (Some(2), &["look around".to_owned(), "repair".to_owned()][..])
    );
}
