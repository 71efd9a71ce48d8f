//! What a recorded call makes or changes. After a restart, its state decides the call's result.

use crate::domain::{BackupId, Error, Result, SandboxId};
use std::fmt;
use std::str::FromStr;

/// What a recorded call makes or changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Subject {
    /// Nothing yet. A call records its subject before its first effect.
    Nothing,
    /// The call takes this snapshot.
    Snapshot(BackupId),
    /// The call makes this workspace from a snapshot.
    Made(SandboxId),
    /// The call makes these workspaces by a live fork.
    Forked(Vec<SandboxId>),
    /// The call does the rewind with this number in the catalogue.
    Rewind(i64),
    /// The call pauses this workspace.
    Paused(SandboxId),
    /// The call resumes this workspace.
    Resumed(SandboxId),
}

impl FromStr for Subject {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let unknown = || Error::internal("a recorded call has a subject of an unknown form");
        if text == "nothing" {
            return Ok(Self::Nothing);
        }
        let (form, named) = text.split_once(':').ok_or_else(unknown)?;
        Ok(match form {
            "snapshot" => Self::Snapshot(BackupId::parse(named)?),
            "made" => Self::Made(SandboxId::parse(named)?),
            "forked" => {
                Self::Forked(named.split(' ').map(SandboxId::parse).collect::<Result<_>>()?)
            }
            "rewind" => Self::Rewind(named.parse().map_err(|_not_a_number| unknown())?),
            "paused" => Self::Paused(SandboxId::parse(named)?),
            "resumed" => Self::Resumed(SandboxId::parse(named)?),
            _ => return Err(unknown()),
        })
    }
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nothing => f.write_str("nothing"),
            Self::Snapshot(id) => write!(f, "snapshot:{id}"),
            Self::Made(id) => write!(f, "made:{id}"),
            Self::Forked(ids) => {
                let ids: Vec<&str> = ids.iter().map(SandboxId::as_str).collect();
                write!(f, "forked:{}", ids.join(" "))
            }
            Self::Rewind(seq) => write!(f, "rewind:{seq}"),
            Self::Paused(id) => write!(f, "paused:{id}"),
            Self::Resumed(id) => write!(f, "resumed:{id}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "7f8a5bd6-14f0-4c0d-bcdb-489856f1e7db";

    /// Running deployments have rows with these texts.
    #[test]
    fn stored_subject_format_unchanged() {
        let sandbox = |id: &str| SandboxId::parse(id).unwrap();
        let two = vec![sandbox("sess-branch-0000000a"), sandbox("sess-branch-0000000b")];
        for (subject, text) in [
            (Subject::Nothing, "nothing".to_owned()),
            (Subject::Snapshot(BackupId::parse(ID).unwrap()), format!("snapshot:{ID}")),
            (Subject::Made(sandbox("sess-branch-1")), "made:sess-branch-1".to_owned()),
            (Subject::Forked(two), "forked:sess-branch-0000000a sess-branch-0000000b".to_owned()),
            (Subject::Rewind(17), "rewind:17".to_owned()),
            (Subject::Paused(sandbox("sess")), "paused:sess".to_owned()),
            (Subject::Resumed(sandbox("sess")), "resumed:sess".to_owned()),
        ] {
            assert_eq!(subject.to_string(), text);
            assert_eq!(text.parse::<Subject>().unwrap(), subject);
        }
    }

    #[test]
    fn another_text_is_no_subject() {
        let long = format!("made:{}", "a".repeat(1 << 20));
        for text in [
            "",
            " ",
            ":",
            "sess",
            ID,
            "snapshot:",
            "snapshot:sess",
            "made:",
            "made:a b",
            "forked:",
            "forked:a  b",
            "rewind:",
            "rewind:x",
            "rewind:9223372036854775808",
            "paused:SESS",
            "resumed:../x",
            "paused:resumed:a",
            "unknown:a",
            "nothing:",
            "\0",
            &long,
        ] {
            assert!(text.parse::<Subject>().is_err(), "{text:.80}");
        }
    }
}
