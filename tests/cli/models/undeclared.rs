//! Uses what nobody declared.
use tokio::time::sleep;
fn main() {
    sleep();
}
