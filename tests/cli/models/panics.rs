//! A program that panics before it hands over.
fn main() {
    panic!("before anything");
}
