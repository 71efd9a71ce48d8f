//! `snapshotter`: workspaces for AI agents, their snapshots, files and commands, from a terminal.

mod api;
mod args;
mod commands;
#[cfg(test)]
mod coverage;
mod error;
mod output;
mod profile;
mod remote;
mod signals;

use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    let cli = args::Cli::parse();
    let format = cli.global.format();
    match cli.command.run(&cli.global) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            output::error(&error, format);
            ExitCode::from(error.exit_code())
        }
    }
}
