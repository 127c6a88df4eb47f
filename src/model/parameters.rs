//! The parameters of a model file: a serde struct with defaults, set by name.
//!
//! [`parameters!`](crate::parameters) writes such a struct together with its documentation; any struct that derives
//! `Serialize` and `Deserialize` (with `deny_unknown_fields` and `default`) and implements [`Default`] does as well.

use serde::Serialize;
use serde::de::DeserializeOwned;

/// One parameter, for help texts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, serde::Deserialize)]
pub struct Field {
    /// The name, as given to `--set`.
    pub name: String,
    /// What it means, with its unit.
    pub doc: String,
    /// The default, written as TOML.
    pub default: String,
}

/// A parameter struct: defaults, named fields, and their documentation.
pub trait Parameters: Clone + Default + Serialize + DeserializeOwned {
    /// The documentation of each field, as pairs of name and text.
    fn docs() -> Vec<(&'static str, &'static str)> {
        Vec::new()
    }

    /// All parameters with their defaults.
    ///
    /// # Errors
    /// Where the struct is not a table of plain values.
    fn fields() -> Result<Vec<Field>, ParameterError> {
        let docs = Self::docs();
        let doc_of = |name: &str| docs.iter().find(|(n, _)| *n == name).map_or("", |(_, d)| *d);
        Ok(table_of(&Self::default())?
            .into_iter()
            .map(|(name, value)| Field {
                doc: doc_of(&name).trim().to_owned(),
                default: value.to_string(),
                name,
            })
            .collect())
    }
}

/// A parameter that could not be set.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParameterError {
    /// Not of the form `name=value`.
    #[error("`{0}` sets nothing: write name=value, for example clients=4")]
    NotAnAssignment(String),
    /// No parameter has this name.
    #[error("unknown parameter `{name}`{near}; this model has: {known}",
        near = .nearest.as_ref().map(|n| format!(" (did you mean `{n}`?)")).unwrap_or_default(),
        known = if .known.is_empty() { "no parameters".to_owned() } else { .known.join(", ") })]
    Unknown {
        /// The name given.
        name: String,
        /// The known name most like it, if any is close.
        nearest: Option<String>,
        /// All known names.
        known: Vec<String>,
    },
    /// The value does not fit the parameter.
    #[error("bad value `{value}` for parameter `{name}`: {reason} (default: {default})")]
    BadValue {
        /// The parameter.
        name: String,
        /// The value given.
        value: String,
        /// What is wrong with it.
        reason: String,
        /// The default, as an example of a good value.
        default: String,
    },
    /// The same parameter is given twice.
    #[error("parameter `{name}` is set twice, to `{first}` and to `{second}`")]
    Twice {
        /// The parameter.
        name: String,
        /// Its first value.
        first: String,
        /// Its second value.
        second: String,
    },
    /// The parameter struct itself cannot be used.
    #[error("the model's parameter struct cannot be used: {0}")]
    Struct(String),
}

fn table_of<P: Serialize>(parameters: &P) -> Result<toml::Table, ParameterError> {
    match toml::Value::try_from(parameters) {
        Ok(toml::Value::Table(table)) => Ok(table),
        Ok(other) => Err(ParameterError::Struct(format!(
            "it is a {}, not a struct with named fields",
            other.type_str()
        ))),
        Err(error) => Err(ParameterError::Struct(error.to_string())),
    }
}

/// The defaults of `P` with `assignments` (each `name=value`) applied, in order.
///
/// A value is read as TOML (`4`, `true`, `1.5`, `"text"`, `[1, 2]`); what is no TOML value is taken as a string, so
/// that `on_error=keep` needs no quotes.
///
/// # Errors
/// Where an assignment is malformed, names no parameter, or gives it a value of the wrong type or range.
pub fn assign<P: Parameters>(assignments: &[String]) -> Result<P, ParameterError> {
    let defaults = table_of(&P::default())?;
    let mut table = defaults.clone();
    let mut given: Vec<(&str, &str)> = Vec::new();
    for assignment in assignments {
        let (name, text) = assignment
            .split_once('=')
            .map(|(n, v)| (n.trim(), v.trim()))
            .filter(|(n, _)| !n.is_empty())
            .ok_or_else(|| ParameterError::NotAnAssignment(assignment.clone()))?;
        if let Some((_, first)) = given.iter().find(|(n, _)| *n == name) {
            return Err(ParameterError::Twice {
                name: name.into(),
                first: (*first).into(),
                second: text.into(),
            });
        }
        given.push((name, text));
        let Some(default) = defaults.get(name) else {
            let known: Vec<String> = defaults.keys().cloned().collect();
            return Err(ParameterError::Unknown {
                name: name.to_owned(),
                nearest: nearest(name, &known),
                known,
            });
        };
        let bad = |reason: String| ParameterError::BadValue {
            name: name.to_owned(),
            value: text.to_owned(),
            reason,
            default: default.to_string(),
        };
        let value = value_of(text, default);
        if matches!(value, toml::Value::Float(f) if !f.is_finite()) {
            return Err(bad("it must be a finite number".to_owned()));
        }
        // TOML knows integers of 64 bits, and what is too large for one would be taken for a text.
        let number = text.parse::<i128>().is_ok()
            || text.parse::<f64>().is_ok_and(|f| f.is_infinite() && !text.contains("inf"));
        if number && value.is_str() && !default.is_str() {
            return Err(bad("the number is out of range".to_owned()));
        }
        // Deserialising with this one change alone pins an error on this parameter.
        let mut single = defaults.clone();
        single.insert(name.to_owned(), value.clone());
        single.try_into::<P>().map_err(|error| bad(first_line(&error.to_string())))?;
        table.insert(name.to_owned(), value);
    }
    table.try_into().map_err(|error: toml::de::Error| ParameterError::Struct(first_line(&error.to_string())))
}

/// A string parameter takes the text as it stands; everything else is read as TOML.
fn value_of(text: &str, default: &toml::Value) -> toml::Value {
    let parsed = toml::from_str::<toml::Table>(&format!("value = {text}"))
        .ok()
        .filter(|table| table.len() == 1)
        .and_then(|mut table| table.remove("value"));
    match (parsed, default) {
        (Some(toml::Value::String(s)), _) => toml::Value::String(s),
        (_, toml::Value::String(_)) | (None, _) => toml::Value::String(text.to_owned()),
        (Some(toml::Value::Integer(i)), toml::Value::Float(_)) => toml::Value::Float(i as f64),
        (Some(value), _) => value,
    }
}

fn first_line(text: &str) -> String {
    text.lines().map(str::trim).find(|l| !l.is_empty()).unwrap_or("it does not fit").to_owned()
}

/// The known name with the fewest edits from `name`, if it needs at most a third of its letters changed.
fn nearest(name: &str, known: &[String]) -> Option<String> {
    known
        .iter()
        .map(|k| (edits(name, k), k))
        .filter(|(distance, k)| *distance <= (k.chars().count().max(3)) / 3)
        .min()
        .map(|(_, k)| k.clone())
}

/// The edit distance, row by row, in which two neighbours that changed places are one edit (optimal string alignment).
pub(crate) fn edits(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut before: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for i in 0..a.len() {
        let mut next = vec![i + 1];
        for j in 0..b.len() {
            let changed = row[j] + usize::from(a[i] != b[j]);
            let mut least = changed.min(row[j + 1] + 1).min(next[j] + 1);
            if i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j] {
                least = least.min(before[j - 1] + 1);
            }
            next.push(least);
        }
        before = std::mem::replace(&mut row, next);
    }
    row[b.len()]
}

/// Writes a parameter struct: its fields with documentation, units and defaults.
///
/// ```
/// aftercalm::parameters! {
///     /// The parameters of a retry storm.
///     pub struct Parameters {
///         /// Fresh requests per tick.
///         arrivals: u32 = 4,
///         /// Attempts after the first one.
///         retries: u32 = 3,
///         /// Whether the server drops requests whose client has given up.
///         drop_expired: bool = false,
///     }
/// }
/// let p: Parameters = aftercalm::model::assign(&["retries=1".to_owned()])?;
/// assert_eq!((p.arrivals, p.retries, p.drop_expired), (4, 1, false));
/// # Ok::<(), aftercalm::model::ParameterError>(())
/// ```
#[macro_export]
macro_rules! parameters {
    (
        $(#[$meta:meta])*
        $vis:vis struct $name:ident {
            $( $(#[doc = $doc:literal])* $field:ident : $ty:ty = $default:expr ),* $(,)?
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Debug, $crate::serde::Serialize, $crate::serde::Deserialize)]
        #[serde(crate = "aftercalm::serde", default, deny_unknown_fields)]
        $vis struct $name {
            $( $(#[doc = $doc])* pub $field: $ty, )*
        }
        impl ::core::default::Default for $name {
            fn default() -> Self {
                Self { $( $field: $default, )* }
            }
        }
        impl $crate::model::Parameters for $name {
            fn docs() -> ::std::vec::Vec<(&'static str, &'static str)> {
                ::std::vec![ $( (::core::stringify!($field), ::core::concat!($($doc, "\n"),*)) ),* ]
            }
        }
    };
}

/// Writes an enum of named choices for use as a parameter: `--set on_error=keep-key`.
///
/// ```
/// aftercalm::choices! {
///     /// What a client does with the key when its query fails.
///     pub enum OnError {
///         /// It takes the error for an invalid value.
///         Delete = "delete-key",
///         /// It leaves the key alone.
///         Keep = "keep-key",
///     }
/// }
/// aftercalm::parameters! {
///     /// Parameters.
///     pub struct Parameters {
///         /// What a failed query does to the key.
///         on_error: OnError = OnError::Delete,
///     }
/// }
/// let p: Parameters = aftercalm::model::assign(&["on_error=keep-key".to_owned()])?;
/// assert_eq!(p.on_error, OnError::Keep);
/// let wrong = aftercalm::model::assign::<Parameters>(&["on_error=ignore".to_owned()]).unwrap_err();
/// assert!(wrong.to_string().contains("delete-key"));
/// # Ok::<(), aftercalm::model::ParameterError>(())
/// ```
#[macro_export]
macro_rules! choices {
    (
        $(#[$meta:meta])*
        $vis:vis enum $name:ident {
            $( $(#[doc = $doc:literal])* $variant:ident = $text:literal ),* $(,)?
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, $crate::serde::Serialize, $crate::serde::Deserialize)]
        #[serde(crate = "aftercalm::serde")]
        $vis enum $name {
            $( $(#[doc = $doc])* #[serde(rename = $text)] $variant, )*
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone, Debug, PartialEq, Serialize, serde::Deserialize)]
    #[serde(default, deny_unknown_fields)]
    struct P {
        clients: u32,
        ratio: f64,
        on_error: String,
        lease: bool,
    }

    impl Default for P {
        fn default() -> Self {
            Self { clients: 6, ratio: 0.5, on_error: "delete".into(), lease: false }
        }
    }

    impl Parameters for P {}

    fn set(assignments: &[&str]) -> Result<P, String> {
        assign(&assignments.iter().map(|s| (*s).to_owned()).collect::<Vec<_>>()).map_err(|e| e.to_string())
    }

    #[test]
    fn an_edit_is_a_letter_more_less_changed_or_two_that_changed_places() {
        let distances =
            [("", ""), ("", "ab"), ("ab", "ab"), ("modle", "model"), ("kitten", "sitting"), ("ca", "abc")];
        assert_eq!(distances.map(|(a, b)| edits(a, b)), [0, 2, 0, 1, 3, 3]);
    }

    #[test]
    fn values_are_read_by_type_and_strings_need_no_quotes() {
        let p = set(&["clients=4", "ratio=2", "on_error=keep", "lease=true"]).unwrap();
        assert_eq!(p, P { clients: 4, ratio: 2.0, on_error: "keep".into(), lease: true });
        assert_eq!(set(&["on_error=7"]).unwrap().on_error, "7");
        assert_eq!(set(&["on_error=\"a b\""]).unwrap().on_error, "a b");
    }

    #[test]
    fn a_wrong_assignment_says_what_would_be_right() {
        let unknown = set(&["cliens=4"]).unwrap_err();
        assert!(
            unknown.contains("did you mean `clients`?") && unknown.contains("ratio, on_error, lease"),
            "{unknown}"
        );
        let bad = set(&["clients=many"]).unwrap_err();
        assert!(bad.contains("`clients`") && bad.contains("many") && bad.contains("default: 6"), "{bad}");
        let negative = set(&["clients=-1"]).unwrap_err();
        assert!(negative.contains("-1"), "{negative}");
        assert!(set(&["ratio=nan"]).unwrap_err().contains("finite"));
        assert!(set(&["ratio=1e400"]).unwrap_err().contains("range"));
        assert!(set(&["clients=99999999999999999999"]).unwrap_err().contains("range"));
        assert!(set(&["clients"]).unwrap_err().contains("name=value"));
        assert!(set(&["=3"]).unwrap_err().contains("name=value"));
        assert!(set(&["clients=1", "clients=2"]).unwrap_err().contains("set twice"));
    }
}
