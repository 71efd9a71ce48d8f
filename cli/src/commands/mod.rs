//! The commands, by family. A command reads its arguments, makes a call and prints the answer.

pub mod attempts;
pub mod code;
pub mod doctor;
pub mod events;
pub mod files;
pub mod history;
pub mod operator;
pub mod previews;
pub mod processes;
pub mod profiles;
pub mod repl;
pub mod rewind;
pub mod run;
pub mod selectors;
pub mod session;
pub mod shell;
pub mod snapshots;
pub mod tokens;
pub mod tools;
pub mod transfer;
pub mod turns;
pub mod watch;
pub mod workspaces;
