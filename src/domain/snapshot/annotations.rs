//! A caller's annotations of a snapshot, and their edits.

use crate::domain::ids::is_uuid_shaped;
use crate::domain::limits::{SNAPSHOT_DESCRIPTION_MAX_CHARS, SNAPSHOT_NAME_MAX_CHARS};
#[cfg(schemas)]
use crate::domain::patterns;
use crate::domain::snapshot::labels::Labels;
use crate::domain::snapshot::selector::is_reserved;
use crate::domain::{Error, Result};
use serde::{Deserialize, Serialize};

/// What a caller says of a snapshot. Request, row, `meta.json` and answer share it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Annotations {
    /// Name, or null.
    pub name: Option<String>,
    /// Description, or null.
    pub description: Option<String>,
    /// Labels.
    pub labels: Labels,
}

/// [`Annotations`] in our part of `meta.json`. `@cloudflare/sandbox` has the name elsewhere.
#[derive(Serialize, Deserialize)]
#[serde(remote = "Annotations", rename_all = "camelCase")]
pub struct Recorded {
    #[serde(skip)]
    name: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    #[serde(default, skip_serializing_if = "Labels::is_empty")]
    labels: Labels,
}

impl Annotations {
    /// Checks a request's annotations.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` naming the field.
    pub fn check(&self) -> Result<()> {
        self.description.as_deref().map_or(Ok(()), check_description)?;
        self.name.as_deref().map_or(Ok(()), check_name)
    }

    /// Whether `held` has the requested annotations, or none, so that they can be set.
    #[must_use]
    pub fn fit(&self, held: &Self) -> bool {
        fn fits<T: Default + PartialEq>(asked: &T, held: &T) -> bool {
            asked == held || [asked, held].contains(&&T::default())
        }
        fits(&self.name, &held.name)
            && fits(&self.description, &held.description)
            && fits(&self.labels, &held.labels)
    }

    /// These annotations, or those of `held` where none is set.
    #[must_use]
    pub fn or(self, held: Self) -> Self {
        Self {
            name: self.name.or(held.name),
            description: self.description.or(held.description),
            labels: if self.labels.is_empty() { held.labels } else { self.labels },
        }
    }

    /// These annotations after an edit.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` naming the field.
    pub fn edited(mut self, edit: &SnapshotEdit) -> Result<Self> {
        for cleared in &edit.clear {
            match cleared {
                Cleared::Name => self.name = None,
                Cleared::Description => self.description = None,
                Cleared::Labels => self.labels = Labels::default(),
                Cleared::Label(key) => self.labels.remove(key),
                Cleared::ExpiresAt => {}
            }
        }
        if let Some(name) = &edit.name {
            check_name(name)?;
            self.name = Some(name.clone());
        }
        if let Some(description) = &edit.description {
            check_description(description)?;
            self.description = Some(description.clone());
        }
        self.labels = self.labels.with(&edit.labels)?;
        Ok(self)
    }
}

/// A value that an edit removes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Cleared {
    /// The name.
    Name,
    /// The description.
    Description,
    /// All labels.
    Labels,
    /// The label with this key.
    Label(String),
    /// The expiry, which keeps the snapshot until it is deleted.
    ExpiresAt,
}

impl TryFrom<String> for Cleared {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Ok(match text.as_str() {
            "name" => Self::Name,
            "description" => Self::Description,
            "labels" => Self::Labels,
            "expiresAt" => Self::ExpiresAt,
            _ => match text.strip_prefix("labels.") {
                Some(key) if !key.is_empty() => Self::Label(key.to_owned()),
                _ => {
                    return Err(
                        "must be name, description, expiresAt, labels, or labels.KEY for one label",
                    );
                }
            },
        })
    }
}

impl From<Cleared> for String {
    fn from(cleared: Cleared) -> Self {
        match cleared {
            Cleared::Name => "name".to_owned(),
            Cleared::Description => "description".to_owned(),
            Cleared::Labels => "labels".to_owned(),
            Cleared::Label(key) => format!("labels.{key}"),
            Cleared::ExpiresAt => "expiresAt".to_owned(),
        }
    }
}

/// Changes to a snapshot. Absent fields stay as they are. Values that `clear` lists are removed
/// first.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct SnapshotEdit {
    /// Name within the session.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(schemas, schemars(length(min = 1, max = SNAPSHOT_NAME_MAX_CHARS), regex(pattern = patterns::NAME_PATTERN)))]
    pub name: Option<String>,
    /// Take the name from a snapshot that has it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub replace: bool,
    /// Description.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(schemas, schemars(length(max = SNAPSHOT_DESCRIPTION_MAX_CHARS), regex(pattern = patterns::TEXT_PATTERN)))]
    pub description: Option<String>,
    /// Labels to set. Others stay.
    #[serde(skip_serializing_if = "Labels::is_empty")]
    pub labels: Labels,
    /// Values to remove: `name`, `description`, `labels`, `labels.KEY` for one label, or
    /// `expiresAt` to keep it until it is deleted.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub clear: Vec<Cleared>,
    /// Whether it stays until it is unpinned or deleted, whatever its time to live and the policy
    /// say. Once it is unpinned, it has its earlier expiry again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pinned: Option<bool>,
    /// Whether other sessions may start workspaces from it, by its ref or id. No tool sets
    /// it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub published: Option<bool>,
    /// When it expires, in RFC 3339: at least 61 s from now, and at most ten years after it
    /// was taken. A snapshot lives whole seconds, so its end is up to one second later.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(schemas, schemars(extend("format" = "date-time")))]
    pub expires_at: Option<String>,
}

/// Checks a snapshot's name.
///
/// # Errors
/// `INVALID_ARGUMENT` naming `name`.
pub fn check_name(name: &str) -> Result<()> {
    let chars = name.chars().count();
    if chars == 0 || chars > SNAPSHOT_NAME_MAX_CHARS {
        return Err(Error::invalid(
            "name",
            format!("must be 1 to {SNAPSHOT_NAME_MAX_CHARS} characters"),
        ));
    }
    if name.trim().is_empty() {
        return Err(Error::invalid("name", "must not be white space alone"));
    }
    if name.chars().any(char::is_control) {
        return Err(Error::invalid("name", "must not contain control characters"));
    }
    if is_uuid_shaped(name) {
        return Err(Error::invalid(
            "name",
            "must not look like a UUID: it could be taken for a backup id",
        ));
    }
    if is_reserved(name) {
        return Err(Error::invalid(
            "name",
            "must not look like a selector: latest, head, now, or what begins with turn:, workspace: or @{",
        ));
    }
    Ok(())
}

/// Checks a description.
///
/// # Errors
/// `INVALID_ARGUMENT` naming `description`.
pub fn check_description(description: &str) -> Result<()> {
    if description.chars().count() > SNAPSHOT_DESCRIPTION_MAX_CHARS {
        return Err(Error::invalid(
            "description",
            format!("must be at most {SNAPSHOT_DESCRIPTION_MAX_CHARS} characters"),
        ));
    }
    if description.contains('\0') {
        return Err(Error::invalid("description", "must not contain NUL"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_checked() {
        for good in ["v1", " v1 ", "before the risky change", "ünïcode", &"x".repeat(128)] {
            assert!(check_name(good).is_ok(), "{good}");
        }
        for bad in [
            "",
            "a\nb",
            "a\0",
            " ",
            "\u{a0}\u{2003}",
            &"x".repeat(129),
            "7f8a5bd6-14f0-4c0d-bcdb-489856f1e7db",
            "7F8A5BD6-14F0-1C0D-FCDB-489856F1E7DB",
        ] {
            assert!(check_name(bad).is_err(), "{bad:?}");
        }
    }
}
