//! Ids. Only parsers and generators make values, so all are valid. The file is long
//! because one macro serves all ids.

use crate::domain::limits::{
    CHECKPOINT_NAME_MAX_CHARS, OPERATION_ID_MAX_CHARS, ORIGIN_MAX_CHARS, PROCESS_NAME_MAX_CHARS,
    READABLE_MAX_CHARS, SANDBOX_ID_MAX_CHARS, SESSION_ID_MAX_CHARS, SHORT_ID_CHARS,
    UPLOAD_ID_MAX_CHARS, UPLOAD_PARTS_MAX,
};
use crate::domain::{Error, ErrorCode, Next, Result};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::fmt;

const RESERVED_SANDBOX_IDS: [&str; 7] =
    ["www", "api", "admin", "root", "system", "cloudflare", "workers"];
/// Prefix of sandbox ids that several sessions share deliberately.
pub const SHARED_PREFIX: &str = "shared-";
const HASHED_ORIGIN_PREFIX: &str = "s-";
/// Prefix of sandbox ids that a warm pool chose. No origin begins with it.
const POOLED_PREFIX: &str = "s-pool-";
const CLEAN_PREFIX: &str = "s-clean-";
const CROCKFORD: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

macro_rules! string_id {
    ($name:ident, $parse:path) => {
        impl $name {
            /// The id as text.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl TryFrom<String> for $name {
            type Error = Error;

            fn try_from(text: String) -> Result<Self> {
                $parse(&text)
            }
        }

        impl From<$name> for String {
            fn from(id: $name) -> Self {
                id.0
            }
        }
    };
}

/// Name of an agent session: 1–128 characters of `[A-Za-z0-9._:@-]`, not `.` or `..`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct SessionId(String);

string_id!(SessionId, SessionId::parse);

impl SessionId {
    /// Parses a session id.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` for any other text.
    pub fn parse(text: &str) -> Result<Self> {
        let allowed = |c: char| c.is_ascii_alphanumeric() || "._:@-".contains(c);
        if text.is_empty()
            || text.len() > SESSION_ID_MAX_CHARS
            || !text.chars().all(allowed)
            || text == "."
            || text == ".."
        {
            return Err(Error::invalid(
                "session",
                format!(
                    "must be 1 to {SESSION_ID_MAX_CHARS} characters of A-Z a-z 0-9 . _ : @ - and not . or .."
                ),
            ));
        }
        Ok(Self(text.to_owned()))
    }

    /// The id of the session's first sandbox. Ids of its later workspaces begin with it.
    ///
    /// A session id is its own origin only if no other session's origin, made workspace or shared
    /// sandbox can have that name. Others become a hash after a readable part: `Alice` becomes
    /// `s-alice-HASH`. So no session id names another session's sandbox.
    #[must_use]
    pub fn origin(&self) -> SandboxId {
        let id = self.as_str();
        let usable = id.len() <= ORIGIN_MAX_CHARS
            && is_sandbox_id(id)
            && !id.starts_with(HASHED_ORIGIN_PREFIX)
            && !id.starts_with(SHARED_PREFIX)
            && !RestoreKind::ALL.iter().any(|kind| id.contains(kind.infix()));
        if usable {
            return SandboxId(id.to_owned());
        }
        let digest = Sha256::digest(id.as_bytes());
        let first_128_bits = digest.get(..16).unwrap_or_default();
        let hash = crockford(first_128_bits);
        let named = format!("{HASHED_ORIGIN_PREFIX}{}-{hash}", readable(id));
        let is_taken = [POOLED_PREFIX, CLEAN_PREFIX].iter().any(|prefix| named.starts_with(prefix))
            || RestoreKind::ALL.iter().any(|kind| named.contains(kind.infix()));
        if is_taken || named.contains("--") {
            return SandboxId(format!("{HASHED_ORIGIN_PREFIX}{hash}"));
        }
        SandboxId(named)
    }
}

/// The start of a session id in lowercase, with one `-` for each run of other characters.
fn readable(session: &str) -> String {
    let mut text = String::new();
    for c in session.chars().map(|c| c.to_ascii_lowercase()) {
        if c.is_ascii_alphanumeric() {
            text.push(c);
        } else if !text.is_empty() && !text.ends_with('-') {
            text.push('-');
        }
    }
    text.truncate(READABLE_MAX_CHARS);
    text.truncate(text.trim_end_matches('-').len());
    text
}

/// Name of a sandbox: 1–63 characters of `[a-z0-9-]`, no `-` at either end, not reserved.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct SandboxId(String);

string_id!(SandboxId, SandboxId::parse);

fn is_sandbox_id(text: &str) -> bool {
    let allowed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    !text.is_empty()
        && text.len() <= SANDBOX_ID_MAX_CHARS
        && text.chars().all(allowed)
        && !text.starts_with('-')
        && !text.ends_with('-')
        && !RESERVED_SANDBOX_IDS.contains(&text)
}

impl SandboxId {
    /// Parses a sandbox id.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT`. It mentions uppercase, which `@cloudflare/sandbox` lowercased silently.
    pub fn parse(text: &str) -> Result<Self> {
        if is_sandbox_id(text) {
            return Ok(Self(text.to_owned()));
        }
        if is_sandbox_id(&text.to_ascii_lowercase()) {
            return Err(Error::invalid(
                "sandbox id",
                "uppercase letters are not allowed, use lowercase",
            ));
        }
        Err(Error::invalid(
            "sandbox id",
            format!(
                "must be 1 to {SANDBOX_ID_MAX_CHARS} characters of a-z 0-9 -, with no - at either end, and not one of {}",
                RESERVED_SANDBOX_IDS.join(", ")
            ),
        ))
    }

    /// Names a workspace that is made for the session of `origin`.
    #[must_use]
    pub fn made(origin: &SandboxId, kind: RestoreKind, random: [u8; 5]) -> Self {
        let short_id = crockford(&random);
        debug_assert_eq!(short_id.len(), SHORT_ID_CHARS);
        Self(format!("{origin}{}{short_id}", kind.infix()))
    }

    /// Names a sandbox of a warm pool. The sandbox keeps this name when a session takes it.
    #[must_use]
    pub fn pooled(random: [u8; 16]) -> Self {
        Self(format!("{POOLED_PREFIX}{}", crockford(&random)))
    }

    /// Names a sandbox in which no caller's command ever runs.
    #[must_use]
    pub fn clean(random: [u8; 16]) -> Self {
        Self(format!("{CLEAN_PREFIX}{}", crockford(&random)))
    }

    /// Whether the sandbox came from a warm pool.
    #[must_use]
    pub fn is_pooled(&self) -> bool {
        self.0.starts_with(POOLED_PREFIX)
    }

    /// Whether several sessions may use this sandbox.
    #[must_use]
    pub fn is_shared(&self) -> bool {
        self.0.starts_with(SHARED_PREFIX)
    }
}

/// Why a workspace was made. The two differ only in the suffix and in the event log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum RestoreKind {
    /// Going back to an earlier state.
    Restored,
    /// Trying something from an earlier state.
    Branch,
}

impl RestoreKind {
    const ALL: [Self; 2] = [Self::Restored, Self::Branch];

    const fn infix(self) -> &'static str {
        match self {
            Self::Restored => "-restored-",
            Self::Branch => "-branch-",
        }
    }
}

/// Id of a backup: a lowercase UUID v4.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct BackupId(String);

string_id!(BackupId, BackupId::parse);

impl BackupId {
    /// Parses a backup id. R2 keys are built only from parsed ids.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` for any other text.
    pub fn parse(text: &str) -> Result<Self> {
        let well_formed = text.len() == 36
            && text.bytes().enumerate().all(|(position, byte)| match position {
                8 | 13 | 18 | 23 => byte == b'-',
                14 => byte == b'4',
                19 => matches!(byte, b'8' | b'9' | b'a' | b'b'),
                _ => matches!(byte, b'0'..=b'9' | b'a'..=b'f'),
            });
        if well_formed {
            Ok(Self(text.to_owned()))
        } else {
            Err(Error::invalid("backup id", "must be a lowercase UUID v4"))
        }
    }

    /// Makes a new id from random bytes.
    #[must_use]
    pub fn from_random(mut bytes: [u8; 16]) -> Self {
        let [_, _, _, _, _, _, version, _, variant, ..] = &mut bytes;
        *version = (*version & 0x0f) | 0x40;
        *variant = (*variant & 0x3f) | 0x80;
        let mut text = String::with_capacity(36);
        for (position, byte) in bytes.iter().enumerate() {
            if matches!(position, 4 | 6 | 8 | 10) {
                text.push('-');
            }
            text.push_str(&format!("{byte:02x}"));
        }
        Self(text)
    }
}

/// Whether `text` looks like a UUID of any case and version. A snapshot's name must not.
#[must_use]
pub fn is_uuid_shaped(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(position, byte)| {
            if matches!(position, 8 | 13 | 18 | 23) {
                byte == b'-'
            } else {
                byte.is_ascii_hexdigit()
            }
        })
}

/// Identity of a container's disk, written at its first start. Another id means another disk.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct InstanceId(String);

string_id!(InstanceId, InstanceId::parse);

impl InstanceId {
    /// Parses an id: 26 characters of Crockford base32.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` for any other text.
    pub fn parse(text: &str) -> Result<Self> {
        if text.len() == 26 && text.bytes().all(|byte| CROCKFORD.contains(&byte)) {
            Ok(Self(text.to_owned()))
        } else {
            Err(Error::invalid("instance id", "is malformed"))
        }
    }

    /// Makes a new id from random bytes.
    #[must_use]
    pub fn from_random(bytes: [u8; 16]) -> Self {
        Self(crockford(&bytes))
    }
}

/// Id of one attempt to start a container. Used if the operator limits starts.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct StartId(String);

string_id!(StartId, StartId::parse);

impl StartId {
    /// Parses an id: 26 characters of Crockford base32.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` for any other text.
    pub fn parse(text: &str) -> Result<Self> {
        if text.len() == 26 && text.bytes().all(|byte| CROCKFORD.contains(&byte)) {
            Ok(Self(text.to_owned()))
        } else {
            Err(Error::invalid("start id", "is malformed"))
        }
    }

    /// Makes a new id from random bytes.
    #[must_use]
    pub fn from_random(bytes: [u8; 16]) -> Self {
        Self(crockford(&bytes))
    }
}

/// Id of a warm pool: a hash of the properties that its containers share.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct PoolId(String);

string_id!(PoolId, PoolId::parse);

impl PoolId {
    /// Parses an id: 26 characters of Crockford base32.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` for any other text.
    pub fn parse(text: &str) -> Result<Self> {
        if text.len() == 26 && text.bytes().all(|byte| CROCKFORD.contains(&byte)) {
            Ok(Self(text.to_owned()))
        } else {
            Err(Error::invalid("pool", "must be the id that GET /v1/pools shows"))
        }
    }

    /// The id of the pool with this description.
    #[must_use]
    pub fn of(description: &str) -> Self {
        let digest = Sha256::digest(description.as_bytes());
        Self(crockford(digest.get(..16).unwrap_or_default()))
    }
}

/// Id of a session token, for revoking it. The token contains the id, which is not secret.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct TokenId(String);

string_id!(TokenId, TokenId::parse);

impl TokenId {
    /// Parses an id: 26 characters of Crockford base32.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` for any other text.
    pub fn parse(text: &str) -> Result<Self> {
        if text.len() == 26 && text.bytes().all(|byte| CROCKFORD.contains(&byte)) {
            Ok(Self(text.to_owned()))
        } else {
            Err(Error::invalid("tokenId", "must be the id that a list of tokens shows"))
        }
    }

    /// Makes a new id from random bytes.
    #[must_use]
    pub fn from_random(bytes: [u8; 16]) -> Self {
        Self(crockford(&bytes))
    }
}

/// Id of a ticket. It shows whether the ticket was used.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct TicketId(String);

string_id!(TicketId, TicketId::parse);

impl TicketId {
    /// Parses an id: 26 characters of Crockford base32.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` for any other text.
    pub fn parse(text: &str) -> Result<Self> {
        if text.len() == 26 && text.bytes().all(|byte| CROCKFORD.contains(&byte)) {
            Ok(Self(text.to_owned()))
        } else {
            Err(Error::invalid("ticket", "must be the id of a ticket"))
        }
    }

    /// Makes a new id from random bytes.
    #[must_use]
    pub fn from_random(bytes: [u8; 16]) -> Self {
        Self(crockford(&bytes))
    }
}

/// Id of a terminal, for reconnecting to it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct TerminalId(String);

string_id!(TerminalId, TerminalId::parse);

impl TerminalId {
    /// Parses an id: 26 characters of Crockford base32.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` for any other text.
    pub fn parse(text: &str) -> Result<Self> {
        if text.len() == 26 && text.bytes().all(|byte| CROCKFORD.contains(&byte)) {
            Ok(Self(text.to_owned()))
        } else {
            Err(Error::invalid("terminal", "must be the id from the terminal's first message"))
        }
    }

    /// Makes a new id from random bytes.
    #[must_use]
    pub fn from_random(bytes: [u8; 16]) -> Self {
        Self(crockford(&bytes))
    }
}

/// Id of a code context, which ends with its disk and begins with the start of the disk's id.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct CodeContextId(String);

string_id!(CodeContextId, CodeContextId::parse);

impl CodeContextId {
    /// Number of characters from the disk's id. The other 16 are random.
    const DISK_CHARS: usize = 10;

    /// Parses an id: 26 characters of Crockford base32.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` for any other text.
    pub fn parse(text: &str) -> Result<Self> {
        if text.len() == 26 && text.bytes().all(|byte| CROCKFORD.contains(&byte)) {
            Ok(Self(text.to_owned()))
        } else {
            Err(Error::invalid("context", "must be the id that creating a code context returned"))
        }
    }

    /// Makes a new id for a context on this disk.
    #[must_use]
    pub fn new(disk: &InstanceId, random: [u8; 16]) -> Self {
        let own = disk.as_str().chars().take(Self::DISK_CHARS);
        Self(own.chain(crockford(&random).chars().take(26 - Self::DISK_CHARS)).collect())
    }

    /// Whether the context was made on this disk.
    #[must_use]
    pub fn is_on(&self, disk: &InstanceId) -> bool {
        self.0.get(..Self::DISK_CHARS) == disk.as_str().get(..Self::DISK_CHARS)
    }
}

/// Id of a preview. It is part of a host name, and not secret.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct PreviewId(String);

string_id!(PreviewId, PreviewId::parse);

impl PreviewId {
    /// Parses an id: 26 characters of Crockford base32.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` for any other text.
    pub fn parse(text: &str) -> Result<Self> {
        if text.len() == 26 && text.bytes().all(|byte| CROCKFORD.contains(&byte)) {
            Ok(Self(text.to_owned()))
        } else {
            Err(Error::invalid("preview", "must be the id that a list of previews shows"))
        }
    }

    /// Makes a new id from random bytes.
    #[must_use]
    pub fn from_random(bytes: [u8; 16]) -> Self {
        Self(crockford(&bytes))
    }
}

/// Id that a caller gives to a call, so that it can cancel the call.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct OperationId(String);

string_id!(OperationId, OperationId::parse);

impl OperationId {
    /// Parses an operation id: 1–64 characters of `[A-Za-z0-9_-]`.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` for any other text.
    pub fn parse(text: &str) -> Result<Self> {
        let allowed = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        if text.is_empty() || text.len() > OPERATION_ID_MAX_CHARS || !text.chars().all(allowed) {
            return Err(Error::invalid(
                "operationId",
                format!("must be 1 to {OPERATION_ID_MAX_CHARS} characters of A-Z a-z 0-9 _ -"),
            ));
        }
        Ok(Self(text.to_owned()))
    }
}

impl OperationId {
    /// Makes a new id from random bytes.
    #[must_use]
    pub fn from_random(bytes: [u8; 16]) -> Self {
        Self(crockford(&bytes))
    }
}

/// Id that a caller gives to an archive that it uploads in parts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct UploadId(String);

string_id!(UploadId, UploadId::parse);

impl UploadId {
    /// Parses an upload id: 1–64 characters of `[A-Za-z0-9_-]`.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` for any other text.
    pub fn parse(text: &str) -> Result<Self> {
        let allowed = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        if text.is_empty() || text.len() > UPLOAD_ID_MAX_CHARS || !text.chars().all(allowed) {
            return Err(Error::invalid(
                "upload",
                format!("must be 1 to {UPLOAD_ID_MAX_CHARS} characters of A-Z a-z 0-9 _ -"),
            ));
        }
        Ok(Self(text.to_owned()))
    }
}

/// Name of a git checkpoint: the last segment of a git ref.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct GitCheckpointName(String);

string_id!(GitCheckpointName, GitCheckpointName::parse);

impl GitCheckpointName {
    /// Parses a name: 1–128 characters of `[A-Za-z0-9_.-]`, as git allows them in a ref.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` for any other text.
    pub fn parse(text: &str) -> Result<Self> {
        let allowed = |c: char| c.is_ascii_alphanumeric() || "_.-".contains(c);
        let sound = !text.is_empty()
            && text.len() <= CHECKPOINT_NAME_MAX_CHARS
            && text.chars().all(allowed)
            && !text.starts_with(['.', '-'])
            && !text.contains("..")
            && !text.ends_with('.')
            && !text.ends_with(".lock");
        if sound {
            return Ok(Self(text.to_owned()));
        }
        Err(Error::invalid(
            "name",
            format!(
                "must be 1 to {CHECKPOINT_NAME_MAX_CHARS} characters of A-Z a-z 0-9 _ . -, must not begin with . or -, contain .., or end with . or .lock"
            ),
        ))
    }
}

/// Name of a background process, and of its directory.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ProcessName(String);

string_id!(ProcessName, ProcessName::parse);

impl ProcessName {
    /// Parses a name: 1–64 characters of `[A-Za-z0-9_-]`.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` for any other text.
    pub fn parse(text: &str) -> Result<Self> {
        let allowed = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        if text.is_empty() || text.len() > PROCESS_NAME_MAX_CHARS || !text.chars().all(allowed) {
            return Err(Error::invalid(
                "name",
                format!("must be 1 to {PROCESS_NAME_MAX_CHARS} characters of A-Z a-z 0-9 _ -"),
            ));
        }
        Ok(Self(text.to_owned()))
    }
}

/// Number of an upload part, from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "u16", into = "u16")]
pub struct PartNumber(u16);

impl PartNumber {
    /// Parses a number without sign or leading zeros.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` unless it is 1 to 1,000.
    pub fn parse(text: &str) -> Result<Self> {
        let plain = text.starts_with(|first: char| matches!(first, '1'..='9'));
        text.parse::<u16>().ok().filter(|_| plain).unwrap_or_default().try_into()
    }
}

impl TryFrom<u16> for PartNumber {
    type Error = Error;

    fn try_from(number: u16) -> Result<Self> {
        if (1..=UPLOAD_PARTS_MAX).contains(&number) {
            return Ok(Self(number));
        }
        Err(Error::invalid("part", format!("must be 1 to {UPLOAD_PARTS_MAX}")))
    }
}

impl From<PartNumber> for u16 {
    fn from(part: PartNumber) -> Self {
        part.0
    }
}

impl fmt::Display for PartNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Lowercase Crockford base32 of the bytes, first bit first. Zero bits pad the last character.
fn crockford(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() * 8 / 5 + 1);
    let mut buffer: u32 = 0;
    let mut bits = 0;
    let mut push = |index: u32| {
        if let Some(character) = CROCKFORD.get((index & 31) as usize) {
            text.push(char::from(*character));
        }
    };
    for byte in bytes {
        buffer = (buffer << 8) | u32::from(*byte);
        bits += 8;
        while bits >= 5 {
            bits -= 5;
            push(buffer >> bits);
        }
        buffer &= (1 << bits) - 1;
    }
    if bits > 0 {
        push(buffer << (5 - bits));
    }
    text
}

/// The error for a snapshot that this session may not access, whether or not it exists.
#[must_use]
pub fn not_owned_snapshot() -> Error {
    Error::new(ErrorCode::SnapshotNotOwned, "this session has no such snapshot")
        .with_hint(Next::ListOwnSnapshots)
}

#[cfg(test)]
mod tests;
