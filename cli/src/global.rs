//! The options of every command.

use crate::output::{Format, Out};
use clap::Args;

/// What every command accepts.
#[derive(Debug, Args)]
#[command(next_help_heading = "Options of all commands")]
pub struct Global {
    /// Session to act on [default: the profile's]
    #[arg(
        long,
        short,
        global = true,
        value_name = "NAME",
        env = "SNAPSHOTTER_SESSION",
        hide_env_values = true
    )]
    pub session: Option<String>,
    /// Profile to use, as `snapshotter profiles` lists them
    #[arg(
        long,
        global = true,
        value_name = "NAME",
        env = "SNAPSHOTTER_PROFILE",
        hide_env_values = true
    )]
    pub profile: Option<String>,
    /// The server's address [default: the profile's]
    #[arg(
        long,
        global = true,
        value_name = "URL",
        env = "SNAPSHOTTER_URL",
        hide_env_values = true
    )]
    pub url: Option<String>,
    /// Shell command that prints the token [default: SNAPSHOTTER_TOKEN, or the profile's token]
    #[arg(long, global = true, value_name = "COMMAND")]
    pub token_command: Option<String>,
    /// How to print results and errors
    #[arg(long, short, global = true, value_enum, value_name = "FORMAT")]
    output: Option<Format>,
    /// Print only results and errors
    #[arg(long, short, global = true)]
    quiet: bool,
    /// Print files and programs' output to a terminal as they are; otherwise control characters are escaped
    #[arg(long, global = true)]
    raw: bool,
}

impl Global {
    /// The format of the output.
    pub fn format(&self) -> Format {
        self.output.unwrap_or(Format::Table)
    }

    /// Where output goes.
    pub fn out(&self) -> Out {
        Out { format: self.format(), is_quiet: self.quiet, is_raw: self.raw }
    }
}
