//! A model that fails in one of its functions, as its parameter says.

use aftercalm::property::{ModelExt, System, always};
use stateright::Model;
use std::process::ExitCode;

aftercalm::parameters! {
    /// The parameters.
    struct Parameters {
        /// Where it fails.
        at: String = "nowhere".to_owned(),
    }
}

#[derive(Clone, Debug)]
struct Faulty(String);

impl Faulty {
    fn fail(&self, at: &str) {
        assert!(self.0 != at, "told to fail");
    }
}

impl Model for Faulty {
    type State = u8;
    type Action = char;

    fn init_states(&self) -> Vec<u8> {
        self.fail("init_states");
        vec![0]
    }

    fn actions(&self, n: &u8, actions: &mut Vec<char>) {
        if *n == 2 {
            self.fail("actions");
        }
        actions.extend(['x', 'y']);
    }

    fn next_state(&self, n: &u8, action: char) -> Option<u8> {
        if *n == 2 && action == 'y' {
            self.fail("next_state");
            if self.0 == "overflow" {
                return Some(n - 3);
            }
            if self.0 == "stack" {
                return Some(deep(u64::from(*n)) as u8);
            }
            if self.0 == "abort" {
                std::process::abort();
            }
            if self.0 == "exit" {
                std::process::exit(0);
            }
        }
        Some((n + 1) % 4)
    }
}

#[allow(unconditional_recursion)]
fn deep(n: u64) -> u64 {
    let wide = std::hint::black_box([n; 1024]);
    deep(n + 1) + wide[7]
}

fn system(p: &Parameters) -> Result<System<Faulty>, std::convert::Infallible> {
    let system = Faulty(p.at.clone()).system();
    Ok(system
        .atom("small", |model, n| {
            if *n == 3 {
                model.fail("atom");
            }
            *n < 4
        })
        .claim(always("small")))
}

fn main() -> ExitCode {
    aftercalm::run(system)
}
