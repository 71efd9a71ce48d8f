//! The tools that a session offers to a model.

use crate::domain::{Error, Result};
use serde::{Deserialize, Serialize};

const CORE: &str = "core";
const ALL: &str = "all";

/// The tools that a model is shown. Others can still be called: capabilities decide about that.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Written", into = "Written")]
pub enum ToolSelection {
    /// The tools for daily work.
    #[default]
    Core,
    /// All tools of the session.
    All,
    /// The tools with these names.
    Named(Vec<String>),
}

impl ToolSelection {
    /// Parses `core`, `all`, or names separated by commas.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` if the text names no tool.
    pub fn parse(text: &str) -> Result<Self> {
        match text {
            CORE => Ok(Self::Core),
            ALL => Ok(Self::All),
            names => Self::named(names.split(',').map(|name| name.trim().to_owned()).collect()),
        }
    }

    fn named(names: Vec<String>) -> Result<Self> {
        if names.is_empty() || names.iter().any(String::is_empty) {
            return Err(Error::invalid("tools", "must be core, all, or names of tools"));
        }
        Ok(Self::Named(names))
    }
}

#[derive(Serialize, Deserialize)]
#[serde(untagged, expecting = "must be core, all, or a list of names of tools")]
enum Written {
    Text(String),
    Names(Vec<String>),
}

impl TryFrom<Written> for ToolSelection {
    type Error = Error;

    fn try_from(written: Written) -> Result<Self> {
        match written {
            Written::Text(text) => Self::parse(&text),
            Written::Names(names) => Self::named(names),
        }
    }
}

impl From<ToolSelection> for Written {
    fn from(selection: ToolSelection) -> Self {
        match selection {
            ToolSelection::Core => Self::Text(CORE.to_owned()),
            ToolSelection::All => Self::Text(ALL.to_owned()),
            ToolSelection::Named(names) => Self::Names(names),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, from_value, json, to_value};

    #[test]
    fn it_is_read_from_text_and_from_lists() {
        let read = |written: Value| from_value::<ToolSelection>(written).map_err(|_| ());
        let named = ToolSelection::Named(vec!["a".to_owned(), "b".to_owned()]);
        assert_eq!(read(json!("core")), Ok(ToolSelection::Core));
        assert_eq!(read(json!("all")), Ok(ToolSelection::All));
        assert_eq!(read(json!("a, b")), Ok(named.clone()));
        assert_eq!(read(json!(["a", "b"])), Ok(named.clone()));
        assert_eq!(to_value(named).unwrap(), json!(["a", "b"]));
        for wrong in [json!(""), json!([]), json!("a,,b"), json!(["a", ""]), json!(1), json!([1])] {
            assert_eq!(read(wrong.clone()), Err(()), "{wrong}");
        }
    }
}
