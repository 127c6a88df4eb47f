//! A counter whose first step never ends.
use aftercalm::property::{ModelExt, System, always};
use std::convert::Infallible;
use std::process::ExitCode;

aftercalm::parameters! {
    /// None.
    struct Parameters {}
}

#[derive(Clone, Debug)]
struct Stuck;

impl stateright::Model for Stuck {
    type State = u64;
    type Action = ();
    fn init_states(&self) -> Vec<u64> {
        vec![0]
    }
    fn actions(&self, _: &u64, actions: &mut Vec<()>) {
        actions.push(());
    }
    fn next_state(&self, n: &u64, (): ()) -> Option<u64> {
        eprintln!("stuck");
        loop {
            std::thread::sleep(std::time::Duration::from_millis(*n + 10));
        }
    }
}

fn system(_: &Parameters) -> Result<System<Stuck>, Infallible> {
    Ok(Stuck.system().atom("small", |_, n| *n < u64::MAX).claim(always("small")))
}

fn main() -> ExitCode {
    aftercalm::run(system)
}
