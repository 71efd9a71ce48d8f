//! Read an operation by its name.

use crate::api::operation::Operation;
use crate::api::operations;
use crate::domain::error::{Error, Result};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};

impl Operation {
    /// Reads an operation from its name and arguments. Null means no arguments.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` saying what is wrong.
    pub fn parse(op: &str, args: Value) -> Result<Self> {
        let entry = operations::by_name(op).ok_or_else(|| {
            let names: Vec<&str> = operations::all().map(|entry| entry.descriptor.name).collect();
            Error::invalid(
                "op",
                format!("unknown variant `{op}`, expected one of {}", names.join(", ")),
            )
        })?;
        let args = if args.is_null() { json!({}) } else { args };
        Ok(Self { entry, input: (entry.parse)(args)? })
    }
}

impl<'de> Deserialize<'de> for Operation {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct Parts {
            op: String,
            args: Value,
        }
        let Parts { op, args } = Parts::deserialize(deserializer)?;
        Self::parse(&op, args).map_err(D::Error::custom)
    }
}
