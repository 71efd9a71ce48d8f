//! Why the command line or the console lacks a route, where several routes share the reason.
//!
//! `docs/capabilities.md` says it for each route, and a test fails for a route that is absent
//! without a reason.

pub(crate) const FOR_MONITORING: &str = "for monitoring, which asks for them by itself";

pub(crate) const MOVES_DIRECTORIES: &str = "a directory is moved in or out by a program or the \
    command line. The console downloads single files";

pub(crate) const OF_THE_PROGRAM: &str = "the agent's program or the operator begins and ends a \
    session, and grants access to it";

pub(crate) const READ_IN_PARTS: &str = "the console reads files in parts, with tools";

pub(crate) const RECORDED: &str = "recorded calls are for programs that lost an answer; this one \
    repeats its calls by key";

pub(crate) const REPAIR: &str =
    "a repair after lost storage, done with [operations.md](operations.md) at hand";

pub(crate) const SHOWN_ELSEWHERE: &str = "other answers have the same, and the console shows those";

pub(crate) const UPKEEP: &str = "rare upkeep of the bucket. The command line has it";
