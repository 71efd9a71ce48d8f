//! Regular expressions for fields of JSON Schemas.

/// Not only white space, without control characters, and not like a UUID.
pub const NAME_PATTERN: &str = "^(?![0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}$)(?=\\s*\\S)[^\\x00-\\x1f\\x7f-\\x9f]+$";
/// Text without NUL.
pub const TEXT_PATTERN: &str = "^[^\\x00]*$";
/// A program name on an allowlist.
pub const PROGRAM_PATTERN: &str = "^[^\\s/\\x00-\\x1f\\x7f-\\x9f]+$";
