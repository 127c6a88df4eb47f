//! A program that is no model: its `main` never calls `aftercalm::run`.
fn main() {
    println!("all is well");
}
