//! Labels of a snapshot: short keys and values for finding it.

use crate::domain::limits::{LABEL_KEY_MAX_CHARS, LABEL_VALUE_MAX_CHARS, LABELS_MAX};
use crate::domain::{Error, Result};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A snapshot's checked labels.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "BTreeMap<String, String>", into = "BTreeMap<String, String>")]
pub struct Labels(BTreeMap<String, String>);

impl Labels {
    /// Whether there are no labels.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The value of a label.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&str> {
        self.0.get(key).map(String::as_str)
    }

    /// These labels, with `others` set as well.
    ///
    /// # Errors
    /// As [`Labels::try_from`].
    pub fn with(&self, others: &Self) -> Result<Self> {
        let mut labels = self.0.clone();
        labels.extend(others.0.clone());
        Self::try_from(labels)
    }

    /// Removes a label.
    pub fn remove(&mut self, key: &str) {
        self.0.remove(key);
    }
}

impl TryFrom<BTreeMap<String, String>> for Labels {
    type Error = Error;

    fn try_from(labels: BTreeMap<String, String>) -> Result<Self> {
        if labels.len() > LABELS_MAX {
            return Err(Error::invalid("labels", format!("must be at most {LABELS_MAX}")));
        }
        for (key, value) in &labels {
            check_key(key)?;
            check_value(value)?;
        }
        Ok(Self(labels))
    }
}

impl From<Labels> for BTreeMap<String, String> {
    fn from(labels: Labels) -> Self {
        labels.0
    }
}

fn check_key(key: &str) -> Result<()> {
    let allowed = |c: char| c.is_ascii_alphanumeric() || "._/-".contains(c);
    if key.is_empty() || key.len() > LABEL_KEY_MAX_CHARS || !key.chars().all(allowed) {
        return Err(Error::invalid(
            "labels",
            format!("a key must be 1 to {LABEL_KEY_MAX_CHARS} characters of A-Z a-z 0-9 . _ / -"),
        ));
    }
    Ok(())
}

fn check_value(value: &str) -> Result<()> {
    if value.chars().count() > LABEL_VALUE_MAX_CHARS || value.chars().any(char::is_control) {
        return Err(Error::invalid(
            "labels",
            format!(
                "a value must be at most {LABEL_VALUE_MAX_CHARS} characters, and no control characters"
            ),
        ));
    }
    Ok(())
}

/// Filters by label: `key` matches any value, `key=value` only this one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct LabelFilter {
    /// The key.
    pub key: String,
    /// The value. None matches any.
    pub value: Option<String>,
}

impl TryFrom<String> for LabelFilter {
    type Error = Error;

    fn try_from(text: String) -> Result<Self> {
        let (key, value) = match text.split_once('=') {
            Some((key, value)) => (key.to_owned(), Some(value.to_owned())),
            None => (text, None),
        };
        check_key(&key)?;
        value.as_deref().map_or(Ok(()), check_value)?;
        Ok(Self { key, value })
    }
}

impl From<LabelFilter> for String {
    fn from(filter: LabelFilter) -> Self {
        match filter.value {
            Some(value) => format!("{}={value}", filter.key),
            None => filter.key,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn labels(value: serde_json::Value) -> Result<Labels, serde_json::Error> {
        serde_json::from_value(value)
    }

    #[test]
    fn labels_are_bounded() {
        assert!(labels(json!({ "team/env": "prod", "x": "" })).is_ok());
        let long_key = "k".repeat(LABEL_KEY_MAX_CHARS + 1);
        let long_value = "v".repeat(LABEL_VALUE_MAX_CHARS + 1);
        for bad in [
            json!({ "": "x" }),
            json!({ "a=b": "x" }),
            json!({ "a b": "x" }),
            json!({ "é": "x" }),
            json!({ "a": "x\ny" }),
            json!({ "a": 1 }),
            json!({ long_key: "x" }),
            json!({ "a": long_value }),
        ] {
            assert!(labels(bad.clone()).is_err(), "{bad}");
        }
        let many = |count: usize| {
            let all: BTreeMap<String, String> =
                (0..count).map(|number| (format!("k{number}"), String::new())).collect();
            Labels::try_from(all)
        };
        assert!(many(LABELS_MAX).is_ok());
        assert!(many(LABELS_MAX + 1).is_err());
        let one_more = labels(json!({ "more": "" })).unwrap();
        assert!(many(LABELS_MAX).unwrap().with(&one_more).is_err());
    }

    #[test]
    fn what_is_set_leaves_the_rest() {
        let before = labels(json!({ "a": "1", "b": "2" })).unwrap();
        let set = labels(json!({ "b": "3", "c": "4" })).unwrap();
        let after = labels(json!({ "a": "1", "b": "3", "c": "4" })).unwrap();
        assert_eq!(before.with(&set).unwrap(), after);
    }

    #[test]
    fn a_filter_is_a_key_or_a_key_and_a_value() {
        let filter = |text: &str| LabelFilter::try_from(text.to_owned());
        assert_eq!(filter("env").unwrap(), LabelFilter { key: "env".into(), value: None });
        let pair = filter("env=a=b").unwrap();
        assert_eq!((pair.key.as_str(), pair.value.as_deref()), ("env", Some("a=b")));
        assert_eq!(String::from(pair), "env=a=b");
        assert!(filter("=x").is_err() && filter("").is_err() && filter("a\0=x").is_err());
    }
}
