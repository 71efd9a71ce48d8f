//! Query parameters: their kinds, and how to read them.

use crate::domain::limits::{CURSOR_MAX_BYTES, PATH_MAX_BYTES, SANDBOX_ID_MAX_CHARS};
use crate::domain::{Error, Result};
use serde_json::{Value, json};

/// A query parameter.
#[derive(Debug, Clone, Copy)]
pub struct Param {
    /// The parameter's name, the same as the argument's.
    pub name: &'static str,
    /// The parameter's kind.
    pub kind: ParamKind,
    /// A description for people.
    pub description: &'static str,
}

/// The kind of a query parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParamKind {
    /// `true` or `false`.
    Flag,
    /// A whole number in a range.
    Count {
        /// Smallest value.
        min: u64,
        /// Largest value.
        max: u64,
    },
    /// Text up to a size.
    Text {
        /// Maximum bytes.
        max: usize,
    },
    /// A time in RFC 3339.
    Time,
    /// One of these values.
    Choice(&'static [&'static str]),
    /// Text, any number of times.
    Texts {
        /// Maximum bytes of each text.
        max: usize,
    },
}

/// The position at which a page begins.
pub(crate) const CURSOR: Param = Param {
    name: "cursor",
    kind: ParamKind::Text { max: CURSOR_MAX_BYTES },
    description: "nextCursor of the previous page.",
};

/// A parameter that is `true` or `false`.
pub(crate) const fn flag(name: &'static str, description: &'static str) -> Param {
    Param { name, kind: ParamKind::Flag, description }
}

pub(crate) const LIMIT: Param = Param {
    name: "limit",
    kind: ParamKind::Count { min: 1, max: u32::MAX as u64 },
    description: "Maximum results per page. Default and maximum: the session's maxListResults, else 100.",
};

pub(crate) const CROSS: Param = flag(
    "allowCrossSession",
    "Also reach snapshots of other sessions, where the session's policy allows it.",
);

pub(crate) const DIRECTORY: Param = Param {
    name: "path",
    kind: ParamKind::Text { max: PATH_MAX_BYTES },
    description: "Directory, relative to the workspace. Default: its root.",
};

pub(crate) const WORKSPACE: Param = Param {
    name: "workspace",
    kind: ParamKind::Text { max: SANDBOX_ID_MAX_CHARS },
    description: "A workspace's id. Default: the active one.",
};

impl Param {
    /// Parses a value of this parameter.
    pub(crate) fn read(&self, value: &str) -> Result<Value> {
        match self.kind {
            ParamKind::Flag => match value {
                "true" => Ok(json!(true)),
                "false" => Ok(json!(false)),
                _ => Err(Error::invalid(self.name, "must be true or false")),
            },
            ParamKind::Count { min, max } => match value.parse::<u64>() {
                Ok(count) if (min..=max).contains(&count) => Ok(json!(count)),
                Ok(_) => Err(Error::invalid(self.name, format!("must be {min} to {max}"))),
                Err(error) => Err(Error::invalid(self.name, format!("is not a count: {error}"))),
            },
            ParamKind::Text { max } | ParamKind::Texts { max } if value.len() > max => {
                Err(Error::invalid(self.name, format!("is longer than {max} bytes")))
            }
            ParamKind::Choice(choices) if !choices.contains(&value) => {
                Err(Error::invalid(self.name, format!("must be one of {}", choices.join(", "))))
            }
            // The argument's own type parses times.
            _ => Ok(json!(value)),
        }
    }
}
