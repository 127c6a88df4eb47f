//! A program built with another version of aftercalm, as it would hand over.
fn main() {
    let path = std::env::var_os("AFTERCALM_ANSWER").unwrap();
    std::fs::write(path, r#"{"aftercalm":"9.9.9","protocol":7,"body":{"anything":1}}"#).unwrap();
}
