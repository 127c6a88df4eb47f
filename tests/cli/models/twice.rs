//! A program that hands over twice, to hide the first.
use aftercalm::property::{ModelExt, System, always};
use std::convert::Infallible;
use std::process::ExitCode;

aftercalm::parameters! {
    /// None.
    struct Parameters {}
}

#[derive(Clone, Debug)]
struct Light(bool);

impl stateright::Model for Light {
    type State = bool;
    type Action = ();
    fn init_states(&self) -> Vec<bool> {
        vec![self.0]
    }
    fn actions(&self, _: &bool, _: &mut Vec<()>) {}
    fn next_state(&self, on: &bool, (): ()) -> Option<bool> {
        Some(*on)
    }
}

fn system(on: bool) -> Result<System<Light>, Infallible> {
    Ok(Light(on).system().atom("on", |_, on| *on).claim(always("on")))
}

fn main() -> ExitCode {
    let _ = aftercalm::run(|_: &Parameters| system(false));
    aftercalm::run(|_: &Parameters| system(true))
}
