//! A counter that counts as good as for ever.
use aftercalm::property::{ModelExt, System, always};
use std::convert::Infallible;
use std::process::ExitCode;

aftercalm::parameters! {
    /// None.
    struct Parameters {}
}

#[derive(Clone, Debug)]
struct Endless;

impl stateright::Model for Endless {
    type State = u64;
    type Action = ();
    fn init_states(&self) -> Vec<u64> {
        eprintln!("counting");
        vec![0]
    }
    fn actions(&self, _: &u64, actions: &mut Vec<()>) {
        actions.push(());
    }
    fn next_state(&self, n: &u64, (): ()) -> Option<u64> {
        std::thread::sleep(std::time::Duration::from_micros(100));
        Some(n + 1)
    }
}

fn system(_: &Parameters) -> Result<System<Endless>, Infallible> {
    Ok(Endless.system().atom("small", |_, n| *n < u64::MAX).claim(always("small")))
}

fn main() -> ExitCode {
    aftercalm::run(system)
}
