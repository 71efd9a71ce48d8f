//! Makes an archive in the container.

use crate::domain::error::{Error, ErrorCode, Next, Result};
use crate::domain::limits::BACKUP_ATTEMPTS;
use crate::domain::snapshot::backup::SnapshotKind;
use crate::domain::snapshot::meta::GitState;
use crate::domain::text::utf8::hex;
use crate::ports::container::{Command, Offer, Offered};
use crate::ports::log::{Level, LogLine};
use crate::ports::sandbox::KnownArchive;
use crate::sandbox::backup::Backup;
use crate::sandbox::backup::manifest::chain_name;
use crate::sandbox::backup::plan::Plan;
use crate::sandbox::scripts::records::Records;
use crate::sandbox::scripts::{BACKUP, bounded, complaint, status};
use serde_json::json;

pub(crate) const ARCHIVE_LIMIT_MS: u64 = 3_600_000;
/// Pause after the first failed attempt. It grows with each attempt.
pub(crate) const RETRY_MS: u64 = 250;

/// Notes of `backup.sh`: why this archive or the next is no layer. In this order: nothing proves
/// what changed since the base; too much changed, or something that a layer can't hold; the layer
/// is too large; the file system does not reveal changes; a program may be writing.
const NOTES: [&str; 5] = ["manifest", "changes", "size", "filesystem", "writers"];

pub(crate) struct OfferedArchive {
    pub(crate) archive: Archive,
    pub(crate) git: Option<GitState>,
    pub(crate) offer: Box<dyn Offer>,
}

/// An archive on the container's disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Archive {
    pub(crate) kind: SnapshotKind,
    pub(crate) size_bytes: u64,
    pub(crate) sha256: [u8; 32],
    /// Number of paths that got the nearest time, because the archive can't hold their own.
    pub(crate) clamped_times: u64,
}

impl Archive {
    pub(crate) fn sha256_hex(&self) -> String {
        hex(&self.sha256)
    }
}

impl Backup<'_> {
    /// Archives the directory. None if its files equal the known archive's. Retries if files
    /// changed meanwhile in a way that the archive would not show (see `docs/guarantees.md`).
    pub(crate) async fn make_archive(&self, plan: &Plan) -> Result<Option<OfferedArchive>> {
        let mut said = String::new();
        for attempt in 1..=BACKUP_ATTEMPTS {
            if attempt > 1 {
                self.context.ports.clock.sleep_ms(RETRY_MS * u64::from(attempt - 1)).await;
            }
            self.backups.stoppable.check(&plan.id)?;
            // If a layer fails each time, a full archive may still succeed.
            let incremental = attempt < BACKUP_ATTEMPTS;
            let output = match self.container.offer(&archive_command(plan, incremental)).await? {
                Offered::File(said, offer) => return offered(&said, offer).map(Some),
                Offered::Ended(output) => output,
            };
            said = complaint(&output);
            match output.exit_code {
                0 if output.stdout == b"unchanged\n" => return Ok(None),
                0 => return Err(unreadable(&output.stdout)),
                status::NOT_FOUND => {
                    return Err(Error::new(
                        ErrorCode::NotFound,
                        format!("{} does not exist in the sandbox", plan.dir.as_str()),
                    )
                    .with_hint(Next::ReplaceDirectory));
                }
                status::WRONG_TYPE => {
                    return Err(Error::invalid("dir", said).with_hint(Next::ReplaceDirectory));
                }
                status::TOOL_MISSING => return Err(tool_missing(said)),
                status::BUSY => return Err(Error::new(ErrorCode::Unavailable, said)),
                status::NO_ROOM => return Err(no_room(said)),
                status::TOOK_LONG | status::LIMIT => return Err(took_long(said)),
                status::LONG_PATH => {
                    return Err(Error::new(ErrorCode::BackupFailed, said)
                        .with_hint("remove or move what lies so deep, and try again"));
                }
                exit_code => self.context.ports.log.write(LogLine::new(
                    Level::Warn,
                    "sandbox.archive_attempt",
                    json!({ "backup": plan.id, "attempt": attempt, "exitCode": exit_code, "killed": output.killed }),
                )),
            }
        }
        // The message names files, so the caller gets it and the log does not.
        Err(Error::new(
            ErrorCode::BackupFailed,
            format!("the archive could not be made in {BACKUP_ATTEMPTS} attempts: {said}"),
        )
        .with_hint(
            "stop what is changing files in the directory, or leave them out, and try again",
        ))
    }

    pub(crate) fn log_notes(&self, plan: &Plan, stderr: &[u8]) {
        let because = notes(stderr);
        if !because.is_empty() {
            let fields = json!({ "backup": plan.id, "because": because });
            self.context.ports.log.write(LogLine::new(Level::Info, "sandbox.no_layer", fields));
        }
    }
}

/// The script's other output must not get into the log.
fn notes(stderr: &[u8]) -> Vec<&'static str> {
    let text = String::from_utf8_lossy(stderr);
    let said = |word: &&str| text.lines().any(|line| line.strip_prefix("note: ") == Some(*word));
    NOTES.into_iter().filter(said).collect()
}

pub(crate) fn tool_missing(said: String) -> Error {
    Error::new(ErrorCode::Unsupported, said).with_hint("install it in the container's image")
}

pub(crate) fn no_room(said: String) -> Error {
    Error::new(ErrorCode::BackupFailed, said).with_hint(
        "delete what is not needed (du, rm), or configure a larger instanceType for new sessions, and try again",
    )
}

/// Another attempt would hardly end sooner.
pub(crate) fn took_long(said: String) -> Error {
    Error::new(ErrorCode::BackupFailed, format!("archiving was ended: {said}")).with_hint(
        "a file can't be read to its end, for example because its file system does not answer; unmount or remove it, and try again",
    )
}

fn archive_command(plan: &Plan, incremental: bool) -> Command {
    let manifest = plan.manifest();
    let known = plan.unless_equal.as_ref().map(KnownArchive::archives);
    let room_bytes = if incremental { plan.base.room_bytes() } else { None };
    let (base, room) = room_bytes.map_or_else(Default::default, |room_bytes| {
        (chain_name(&plan.base), room_bytes.to_string())
    });
    let known = known.as_ref().map_or_else(String::new, chain_name);
    let arguments = [plan.archive_path.as_str(), plan.source(), &manifest, &known, &base, &room];
    bounded(BACKUP, &arguments, &plan.id, ARCHIVE_LIMIT_MS)
}

fn offered(said: &[u8], offer: Box<dyn Offer>) -> Result<OfferedArchive> {
    let end = said.iter().position(|byte| *byte == b'\n').unwrap_or(said.len());
    let (line, rest) = said.split_at(end);
    let git = git_state(rest.get(1..).unwrap_or_default());
    Ok(OfferedArchive { archive: parse(line)?, git, offer })
}

/// Parses a commit, a branch, and yes or no, each with a NUL. None if there is no repository, or if
/// it could not be read in time: a backup does not fail because of it.
fn git_state(printed: &[u8]) -> Option<GitState> {
    let mut records = Records(printed);
    let mut text = || {
        let text = String::from_utf8_lossy(records.next()?).into_owned();
        Some((!text.is_empty()).then_some(text))
    };
    Some(GitState { head: text()?, branch: text()?, clean: text()?? == "yes" })
}

/// Parses `full SIZE SHA256` or `layer SIZE SHA256`, followed by the count of clamped times, if
/// any.
pub(crate) fn parse(line: &[u8]) -> Result<Archive> {
    let text = String::from_utf8_lossy(line);
    let mut words = text.split_whitespace();
    let kind = match words.next() {
        Some("full") => Some(SnapshotKind::Full),
        Some("layer") => Some(SnapshotKind::Layer),
        _ => None,
    };
    let size_bytes = words.next().and_then(|word| word.parse().ok());
    let sha256 = words.next().and_then(parse_hex);
    let clamped_times = words.next().map_or(Some(0), |word| word.parse().ok());
    match (kind, size_bytes, sha256, clamped_times, words.next()) {
        (Some(kind), Some(size_bytes), Some(sha256), Some(clamped_times), None) => {
            Ok(Archive { kind, size_bytes, sha256, clamped_times })
        }
        _ => Err(unreadable(line)),
    }
}

fn unreadable(said: &[u8]) -> Error {
    Error::new(ErrorCode::BackupFailed, "the archive tool gave no size and checksum")
        .with_cause(String::from_utf8_lossy(said).into_owned())
}

pub(crate) fn parse_hex(text: &str) -> Option<[u8; 32]> {
    let mut bytes = [0; 32];
    if text.len() != 64 || !text.is_ascii() {
        return None;
    }
    for (position, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(text.get(position * 2..position * 2 + 2)?, 16).ok()?;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_known_notes_reach_the_log() {
        assert_eq!(notes(b"note: writers\nnote: a-file\nother\nnote: size\n"), ["size", "writers"]);
        assert_eq!(notes(b"writers\n"), [""; 0]);
    }

    #[test]
    fn only_size_and_checksum_are_believed() {
        let sum = "0f".repeat(32);
        for (word, kind) in [("full", SnapshotKind::Full), ("layer", SnapshotKind::Layer)] {
            for (more, clamped_times) in [("", 0), (" 7", 7)] {
                let archive = parse(format!("{word} 4096 {sum}{more}\n").as_bytes()).unwrap();
                let expected = Archive { kind, size_bytes: 4096, sha256: [15; 32], clamped_times };
                assert_eq!(archive, expected);
            }
        }
        let bad = [
            "4096 {}",
            "full 1 {} more",
            "full 1 {} 1 more",
            "full {} more",
            "full -1 {}",
            "part 1 {}",
        ]
        .map(|bad| bad.replace("{}", &sum));
        for bad in ["", "unchanged", "full 4096", "full x y", "full 1 0f"]
            .into_iter()
            .chain(bad.iter().map(String::as_str))
        {
            assert_eq!(parse(bad.as_bytes()).unwrap_err().code, ErrorCode::BackupFailed, "{bad}");
        }
    }

    #[test]
    fn a_missing_part_of_the_repositorys_state_is_none() {
        let git = |head: Option<&str>, branch: Option<&str>, clean| GitState {
            head: head.map(str::to_owned),
            branch: branch.map(str::to_owned),
            clean,
        };
        assert_eq!(git_state(b"abc\0main\0yes\0"), Some(git(Some("abc"), Some("main"), true)));
        assert_eq!(git_state(b"\0\0no\0"), Some(git(None, None, false)));
        assert_eq!(git_state(b"abc\0main\0"), None);
        assert_eq!(git_state(b""), None);
    }
}
