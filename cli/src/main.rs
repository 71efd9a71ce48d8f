//! `snapshotter`: workspaces for AI agents, their snapshots, files and commands, from a terminal.

mod api;
mod args;
mod arguments;
mod commands;
mod error;
mod global;
mod output;
mod profile;
mod progress;
mod remote;
mod signals;

use std::process::ExitCode;

fn main() -> ExitCode {
    let cli = match arguments::read(std::env::args_os().collect()) {
        Ok(cli) => cli,
        Err(error) if error.use_stderr() && args::wants_json(std::env::args().skip(1)) => {
            let error = error::Error::Usage(error.render().to_string());
            output::error(&error, output::Format::Json);
            return ExitCode::from(error.exit_code());
        }
        // Help and the version come this way, too.
        Err(error) => error.exit(),
    };
    let format = cli.global.format();
    match cli.command.run(&cli.global) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            output::error(&error, format);
            ExitCode::from(error.exit_code())
        }
    }
}
