//! Does not parse.
fn main( {
