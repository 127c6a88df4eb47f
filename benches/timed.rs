//! How fast timed systems are searched, and what a state takes: the product search, the generic search, and stateright's own
//! breadth-first search over the same model.
//!
//! `cargo bench --bench timed` has criterion measure the smallest system. `cargo bench --bench timed -- --table` measures all of
//! them, each run in a process of its own so that its memory can be told, and prints the table of `README.md`: medians of several
//! rounds, in which the searches take turns. Times are processor time, which is what is left to compare on a machine that others use as
//! well, and, for several threads, elapsed time.

mod systems {
    pub mod fleet;
    pub mod mono;
}

use aftercalm::actor::{Message, TimedSystem};
use aftercalm::check::{Engine, Limits, state_space};
use aftercalm::property::System;
use criterion::{BenchmarkId, Criterion, criterion_group};
use stateright::{Checker, Model};
use std::hint::black_box;
use std::process::{Command, Stdio};
use std::time::Instant;
use systems::fleet::Fleet;
use systems::mono::Mono;

/// A system to be searched.
#[derive(Clone, Copy, Debug)]
enum Sample {
    Fleet(Fleet),
    Mono(Mono),
}

/// Clients, attempts, queue, longest thought, longest latency.
const fn fleet(clients: usize, attempts: u8, queue: usize, thinks: u32, latency_max: u32) -> Sample {
    Sample::Fleet(Fleet { clients, attempts, queue, thinks, latency_max })
}

/// Fleets of about 1e5, 1e6 and 1e7 states, and one actor that holds everything.
const SAMPLES: [(&str, Sample); 4] = [
    ("1e5", fleet(2, 2, 2, 2, 2)),
    ("1e6", fleet(5, 1, 2, 3, 1)),
    ("1e7", fleet(3, 1, 1, 1, 2)),
    ("one actor", Sample::Mono(Mono(64))),
];

/// The searches. *Bare* computes no atoms and measures, as stateright does not.
const SEARCHES: [&str; 5] = ["product", "product, 2 threads", "product, bare", "generic", "stateright"];

/// What a run took.
#[derive(Clone, Copy, Debug, Default)]
struct Run {
    states: f64,
    edges: f64,
    /// Processor time and elapsed time, in seconds.
    cpu: f64,
    wall: f64,
    bytes: f64,
}

/// States and edges.
fn search(name: &str, sample: Sample) -> (usize, usize) {
    match (name, sample) {
        ("stateright", Sample::Fleet(fleet)) => stateright(fleet.timed()),
        ("stateright", Sample::Mono(mono)) => stateright(mono.timed()),
        (_, Sample::Fleet(fleet)) => ours(name, fleet.system()),
        (_, Sample::Mono(mono)) => ours(name, mono.system()),
    }
}

fn stateright<M: Message>(system: TimedSystem<M>) -> (usize, usize) {
    let checker = system.checker().spawn_bfs().join();
    // It counts the initial state among what it generated.
    (checker.unique_state_count(), checker.state_count() - 1)
}

fn ours<M: Message>(name: &str, mut system: System<TimedSystem<M>>) -> (usize, usize) {
    if name.ends_with("bare") {
        (system.atoms, system.measures) = (Vec::new(), Vec::new());
    }
    let limits = Limits {
        engine: if name == "generic" { Engine::Generic } else { Engine::Product },
        threads: Some(if name.ends_with("2 threads") { 2 } else { 1 }),
        ..Limits::default()
    };
    let space = state_space(&system, &limits);
    assert!(space.stops().is_empty(), "{:?}", space.stops());
    (space.graph().size() as usize, space.graph().targets.len())
}

/// The processor time of this process so far, in seconds: the fields `utime` and `stime`, in hundredths.
fn cpu() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = stat.rsplit(')').next().unwrap_or("").split_whitespace().skip(11).take(2);
    fields.filter_map(|f| f.parse::<f64>().ok()).sum::<f64>() / 100.0
}

/// The most memory that this process ever used, in bytes.
fn peak() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|l| l.split_whitespace().next()?.parse::<f64>().ok()).unwrap_or(0.0) * 1024.0
}

/// Runs one search on one system in this process, and prints what it took.
fn one(name: &str, sample: Sample) {
    let (before, cpu_before, started) = (peak(), cpu(), Instant::now());
    let (states, edges) = search(name, sample);
    let (wall, cpu) = (started.elapsed().as_secs_f64(), cpu() - cpu_before);
    println!("{states} {edges} {cpu} {wall} {}", peak() - before);
}

fn run_child(name: &str, system: &str) -> Run {
    let program = std::env::current_exe().expect("this program has a path");
    let output = Command::new(program).args(["--one", name, system]).stderr(Stdio::inherit()).output();
    let text = String::from_utf8(output.expect("the child runs").stdout).expect("numbers");
    let n: Vec<f64> = text.split_whitespace().map(|n| n.parse().expect("a number")).collect();
    Run { states: n[0], edges: n[1], cpu: n[2], wall: n[3], bytes: n[4] }
}

fn median(runs: &[Run], of: impl Fn(&Run) -> f64) -> f64 {
    let mut values: Vec<f64> = runs.iter().map(of).collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn table(rounds: usize) {
    println!(
        "| system | states | edges | search | CPU s | elapsed s | states/s | edges/s | bytes a state | times stateright |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    for (system, _) in SAMPLES {
        let mut runs: Vec<Vec<Run>> = vec![Vec::new(); SEARCHES.len()];
        // The large ones take minutes each.
        for _ in 0..if system == "1e7" { 1 } else { rounds } {
            for (name, runs) in SEARCHES.iter().zip(&mut runs) {
                runs.push(run_child(name, system));
            }
        }
        let theirs = median(&runs[SEARCHES.len() - 1], |r| r.cpu);
        for (name, runs) in SEARCHES.iter().zip(&runs) {
            let (cpu, wall) = (median(runs, |r| r.cpu), median(runs, |r| r.wall));
            let Run { states, edges, .. } = runs[0];
            println!(
                "| {system} | {states} | {edges} | {name} | {cpu:.2} | {wall:.2} | {:.0} k | {:.1} M | {:.0} | {:.1} |",
                states / cpu / 1e3,
                edges / cpu / 1e6,
                median(runs, |r| r.bytes) / states,
                theirs / cpu
            );
        }
    }
}

fn timed(c: &mut Criterion) {
    let (size, sample) = SAMPLES[0];
    let mut group = c.benchmark_group("timed systems");
    group.sample_size(10);
    for name in SEARCHES {
        group.bench_function(BenchmarkId::new(name, size), |b| b.iter(|| black_box(search(name, sample))));
    }
    group.finish();
}

/// A fleet by its numbers, as in `3,1,1,1,2`, or one actor by its one number.
fn described(text: &str) -> Sample {
    let numbers: Vec<usize> = text.split(',').filter_map(|n| n.parse().ok()).collect();
    match numbers.as_slice() {
        [clients, attempts, queue, thinks, latency] => {
            fleet(*clients, *attempts as u8, *queue, *thinks as u32, *latency as u32)
        }
        [number] => Sample::Mono(Mono(*number as u32)),
        _ => panic!("`{text}` is no system: give five numbers for a fleet, one for one actor"),
    }
}

criterion_group!(benches, timed);

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["--one", name, system, ..] => {
            let known = SAMPLES.iter().find(|(known, _)| known == system);
            one(name, known.map_or_else(|| described(system), |(_, sample)| *sample));
        }
        all if all.contains(&"--table") => table(3),
        _ => {
            benches();
            Criterion::default().configure_from_args().final_summary();
        }
    }
}
