//! No main.
fn system() {}
