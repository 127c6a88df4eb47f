//! Hand-made results for the tests of what people and programs read. The first is the story of the Facebook outage of
//! 23 September 2010; the others each have something that a report has to get right.

use super::case::{ENDS, INITIAL};
use super::changes::{changes, parts};
use super::result::{CaseResult, ClaimResult, StepText, WitnessText};
use crate::check::Note;
use crate::property::{Kind, Lasso, Verdict};
use serde_json::{Map, Value, json};

/// A step: the action, the state reached as `Debug` text, its atoms and its measures.
type Told = (&'static str, String, Value, Value);

fn path(stem: Vec<Told>, cycle: Vec<Told>) -> Option<WitnessText> {
    let mut before: Option<String> = None;
    let mut step = |(action, state, atoms, measures): Told| {
        let changes = before.as_ref().map_or_else(|| parts(&state), |before| changes(before, &state));
        before = Some(state);
        StepText {
            action: action.to_owned(),
            changes,
            atoms: map(atoms),
            measures: map(measures),
            events: Vec::new(),
        }
    };
    let stem = stem.into_iter().map(&mut step).collect();
    let cycle = cycle.into_iter().map(&mut step).collect();
    Some(WitnessText { stem, cycle })
}

fn map(value: Value) -> Map<String, Value> {
    value.as_object().cloned().unwrap_or_default()
}

fn case(model: &str, claims: Vec<ClaimResult>) -> CaseResult {
    CaseResult {
        model: model.to_owned(),
        case: None,
        parameters: Map::new(),
        actors: Vec::new(),
        tick: None,
        states: 1_234,
        transitions: 5_678,
        seconds: 0.0213,
        claims,
        peaks: Vec::new(),
        amplifications: Vec::new(),
        stops: Vec::new(),
        fault: None,
        notes: Vec::new(),
        drift: None,
    }
}

fn claim(name: &str, claim: &str, verdict: Verdict) -> ClaimResult {
    ClaimResult {
        name: name.to_owned(),
        claim: claim.to_owned(),
        verdict,
        kind: None,
        lasso: None,
        states_covered: Some(1_016),
        worst_ticks: None,
        peak: None,
        detail: None,
        witness: None,
        tipping: None,
        remedy: None,
    }
}

fn violated(
    name: &str,
    text: &str,
    kind: Kind,
    lasso: Option<Lasso>,
    witness: Option<WitnessText>,
) -> ClaimResult {
    ClaimResult { kind: Some(kind), lasso, witness, ..claim(name, text, Verdict::Violated) }
}

fn config(
    clients: (u8, u8),
    cache: &str,
    store: &str,
    change: &str,
    served: &str,
    in_flight: &str,
) -> String {
    let (idle, waiting) = clients;
    format!(
        "State {{ clients: Clients {{ idle: {idle}, waiting: {waiting} }}, cache: {cache}, store: {store}, \
         database: Database {{ served: {served} }}, change: {change}, in_flight: {{{in_flight}}} }}"
    )
}

fn outage() -> Option<WitnessText> {
    let atoms = |valid: bool, repaired: bool| json!({"valid": valid, "repaired": repaired});
    let load = |queries: u8, errors: u8| json!({"queries": queries, "errors": errors});
    let query = |n: u8| format!(r#""clients -> database": "{n} Query, in 1 tick""#);
    let error = |n: u8| format!(r#""database -> clients": "{n} Error, in 1 tick""#);
    let stem = vec![
        (INITIAL, config((6, 0), "Valid", "Valid", "Ahead", "0", ""), atoms(true, false), load(0, 0)),
        (
            "trigger: an invalid value is stored",
            config((6, 0), "Valid", "Invalid", "During(2)", "0", ""),
            atoms(true, false),
            load(0, 0),
        ),
        (
            "cache <- Invalid from store",
            config((6, 0), "Invalid", "Invalid", "During(1)", "0", ""),
            atoms(false, false),
            load(0, 0),
        ),
        (
            "clients read Invalid and delete the key; 6 Query to database",
            config((0, 6), "Missing", "Invalid", "During(1)", "0", &query(6)),
            atoms(false, false),
            load(6, 0),
        ),
        (
            "trigger: the value is repaired; database <- 6 Query from clients, overloaded",
            config((0, 6), "Missing", "Valid", "Over", "0", &error(6)),
            atoms(false, true),
            load(0, 6),
        ),
    ];
    let cycle = vec![
        (
            "clients <- 6 Error from database, taken for an invalid value; 6 Query to database",
            config((0, 6), "Missing", "Valid", "Over", "0", &query(6)),
            atoms(false, true),
            load(6, 0),
        ),
        (
            "database <- 6 Query from clients, overloaded",
            config((0, 6), "Missing", "Valid", "Over", "0", &error(6)),
            atoms(false, true),
            load(0, 6),
        ),
    ];
    path(stem, cycle)
}

/// The outage: two claims with the same trap, others that hold.
pub(super) fn trap() -> CaseResult {
    let stalls = Some(Lasso::Stalls);
    let mut example = claim("an outage is possible", "reachable not valid", Verdict::Holds);
    example.witness = outage().map(|w| WitnessText { stem: w.stem[..3].to_vec(), cycle: Vec::new() });
    let claims = vec![
        violated("stays valid", "stabilizes valid after repaired", Kind::Trap, stalls, outage()),
        violated("can become valid", "recoverable valid after repaired", Kind::Trap, stalls, outage()),
        example,
        ClaimResult {
            peak: Some(6),
            ..claim("always conserves_clients", "always conserves_clients", Verdict::Holds)
        },
    ];
    CaseResult {
        case: Some("as it happened".to_owned()),
        parameters: map(
            json!({"clients": 6, "capacity": 2, "served": "collapses", "error_deletes_key": true}),
        ),
        ..case("models/fb-config.rs", claims)
    }
}

/// Between capacity and twice the capacity: healthy again and again.
pub(super) fn flaps() -> CaseResult {
    let state = |cache: &str, waiting: u8| format!("State {{ cache: {cache}, waiting: {waiting} }}");
    let atoms = |valid: bool| json!({"valid": valid, "repaired": true});
    let stem = vec![
        (INITIAL, state("Valid", 0), atoms(true), json!({"queries": 0})),
        ("clients <- 1 Error from database", state("Missing", 0), atoms(false), json!({"queries": 0})),
    ];
    let cycle = vec![
        (
            "clients read Missing; 3 Query to database",
            state("Missing", 3),
            atoms(false),
            json!({"queries": 3}),
        ),
        (
            "database <- 3 Query from clients; 1 Result, 2 Error",
            state("Valid", 2),
            atoms(true),
            json!({"queries": 0}),
        ),
        ("clients <- 2 Error from database", state("Missing", 0), atoms(false), json!({"queries": 0})),
    ];
    let witness = path(stem, cycle);
    let name = "stabilizes valid after repaired";
    case("models/fb-config.rs", vec![violated(name, name, Kind::Lasso, Some(Lasso::Flaps), witness)])
}

/// A loop that never meets the goal, of one step that changes nothing, after a countdown that can be folded.
pub(super) fn stalls() -> CaseResult {
    let state = |left: u8| format!("Client {{ timer: Some({left}), breaker: Open }}");
    let none = || json!({});
    let atoms = || json!({"served": false});
    let mut stem = vec![(INITIAL, state(12), atoms(), none())];
    stem.extend((0..12).rev().map(|left| ("tick", state(left), atoms(), none())));
    let witness = path(stem, vec![("tick", state(0), atoms(), none())]);
    let name = "asked leads_to served";
    case("models/breaker.rs", vec![violated(name, name, Kind::Lasso, Some(Lasso::Stalls), witness)])
}

/// An invariant that a path breaks, with lists and sets in the state.
pub(super) fn safety() -> CaseResult {
    let state =
        |queue: &str, up: &str| format!("State {{ queue: [{queue}], up: {{{up}}}, leader: Some(Id(1)) }}");
    let atoms = |two: bool| json!({"one_leader": !two, "settled": false});
    let request = |n: u8| format!("Request {{ from: Id({n}), attempt: 1, deadline_ticks: 30 }}");
    let witness = path(
        vec![
            (INITIAL, state(&request(1), "Id(1), Id(2), Id(3)"), atoms(false), json!({})),
            ("site 2 fails over", state("", "Id(1), Id(3)"), atoms(false), json!({})),
            (
                "site 2 comes back, believes to lead",
                state(&format!("{}, {}", request(2), request(3)), "Id(1), Id(2), Id(3)"),
                atoms(true),
                json!({}),
            ),
        ],
        Vec::new(),
    );
    let mut unreached = violated("reachable settled", "reachable settled", Kind::Safety, None, None);
    unreached.detail = Some("no behaviour reaches it, so there is no path to show".to_owned());
    case(
        "models/leader.rs",
        vec![violated("always one_leader", "always one_leader", Kind::Safety, None, witness), unreached],
    )
}

/// A behaviour that ends.
pub(super) fn end_state() -> CaseResult {
    let state = |tokens: u8| format!("Budget {{ tokens: {tokens} }}");
    let atoms = || json!({"answered": false});
    let stem = vec![
        (INITIAL, state(1), atoms(), json!({"retries": 0})),
        ("the only token is spent on a retry", state(0), atoms(), json!({"retries": 1})),
    ];
    let witness = path(stem, vec![(ENDS, state(0), atoms(), json!({"retries": 1}))]);
    let name = "eventually answered";
    let claims = vec![violated(name, name, Kind::Trap, Some(Lasso::Stalls), witness)];
    let note =
        "one state is an end state: nothing more can happen in it, which counts as staying there for ever";
    CaseResult { notes: vec![note.to_owned()], ..case("models/budget.rs", claims) }
}

/// A search that a limit ended.
pub(super) fn inconclusive() -> CaseResult {
    let stop = "the limit of 1000 states was hit".to_owned();
    let open = |name: &str| ClaimResult {
        states_covered: None,
        detail: Some(stop.clone()),
        ..claim(name, name, Verdict::Inconclusive)
    };
    let claims = vec![open("stabilizes healthy after trigger_over"), open("always not overloaded")];
    CaseResult { states: 1_000, stops: vec![stop.clone()], ..case("models/urlfetch-failover.rs", claims) }
}

/// A claim whose antecedent is never met.
pub(super) fn vacuous() -> CaseResult {
    let detail = "`repaired` is never reached, so nothing was tested".to_owned();
    let mut name = claim("stays valid", "stabilizes valid after repaired", Verdict::Vacuous);
    (name.states_covered, name.detail) = (Some(0), Some(detail));
    let mut bounded = claim("recovers", "recovers valid within 20 ticks", Verdict::Holds);
    (bounded.states_covered, bounded.worst_ticks) = (Some(1), Some(12));
    case("models/fb-config.rs", vec![name, bounded])
}

/// A model that failed.
pub(super) fn fault() -> CaseResult {
    let stop = "the model failed while it was run".to_owned();
    let mut open = claim("stays valid", "stabilizes valid", Verdict::Inconclusive);
    (open.states_covered, open.detail) = (None, Some(stop.clone()));
    let fault = "the model panicked in next_state at models/quota.rs:71:22: attempt to subtract with overflow\n  \
                 state: Quota { left: 0, waiting: 3 }\n  action: Grant(4)";
    CaseResult { stops: vec![stop], fault: Some(fault.to_owned()), ..case("models/quota.rs", vec![open]) }
}

/// A model whose hash stateright's own checker would be misled by.
pub(super) fn coarse_hash() -> CaseResult {
    let note = Note::CoarseHash {
        pairs: 17,
        first: "State { timers: [{Election}, {}] }".to_owned(),
        second: "State { timers: [{}, {Election}] }".to_owned(),
    };
    let claims = vec![claim("always one_leader", "always one_leader", Verdict::Holds)];
    CaseResult { notes: vec![note.to_string()], ..case("models/raft.rs", claims) }
}

/// Long values, wide characters, and text that would command the terminal.
pub(super) fn wide() -> CaseResult {
    let state = |value: &str, last: char| {
        format!("State {{ wert: \"{value}\", 日志: [{}{last}] }}", "'é', ".repeat(40))
    };
    let atoms = |ok: bool| json!({"größer als null": ok, "正常": !ok});
    let long = "überlastet, ".repeat(9);
    let witness = path(
        vec![
            (INITIAL, state("klein", 'a'), atoms(true), json!({"待处理请求": 1_000_000})),
            (
                "数据库服务器在故障恢复之后收到了来自所有客户端的大量重复查询请求因此再次过载并且返回错误 \u{1b}[31m\nund weiter",
                state(&long, 'b'),
                atoms(false),
                json!({"待处理请求": null}),
            ),
            ("noch einmal", state(&format!("{long}!"), 'b'), atoms(false), json!({"待处理请求": -1})),
        ],
        Vec::new(),
    );
    let name = "always \"größer als null\"";
    case("modelle/größe.rs", vec![violated(name, name, Kind::Safety, None, witness)])
}

/// Texts that look like `Debug` output and often do not parse.
pub(super) fn random_text(random: &mut fastrand::Rng) -> String {
    const TOKENS: [&str; 24] = [
        "A", "b", " { ", " }", "{", "}", "[", "]", "(", ")", ", ", ",", ": ", ":", "\"", "'", "\\", "1",
        "-2", "..", "é", "x: ", "Some(", " ",
    ];
    (0..random.usize(0..40)).map(|_| TOKENS[random.usize(0..TOKENS.len())]).collect()
}

/// A violation whose states, actions and names are random texts.
pub(super) fn random(random: &mut fastrand::Rng) -> CaseResult {
    let mut before: Option<String> = None;
    let mut step = || {
        let state = random_text(random);
        let changes = before.as_ref().map_or_else(|| parts(&state), |before| changes(before, &state));
        before = Some(state);
        let atoms = map(json!({ random_text(random): random.bool() }));
        let measures = map(json!({ "m": random.i64(..), random_text(random): random.i64(0..3) }));
        StepText { action: random_text(random).repeat(4), changes, atoms, measures, events: Vec::new() }
    };
    let stem = (0..5).map(|_| step()).collect();
    let cycle = (0..2).map(|_| step()).collect();
    let witness = Some(WitnessText { stem, cycle });
    let (name, text) = (random_text(random), random_text(random));
    case("models/random.rs", vec![violated(&name, &text, Kind::Lasso, Some(Lasso::Stalls), witness)])
}

/// All of them, by name.
pub(super) fn all() -> Vec<(&'static str, CaseResult)> {
    vec![
        ("trap", trap()),
        ("flaps", flaps()),
        ("stalls", stalls()),
        ("safety", safety()),
        ("end_state", end_state()),
        ("inconclusive", inconclusive()),
        ("vacuous", vacuous()),
        ("fault", fault()),
        ("coarse_hash", coarse_hash()),
        ("wide", wide()),
    ]
}
