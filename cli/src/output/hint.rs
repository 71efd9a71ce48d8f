//! The server's hints. This program's commands replace the operations that hints name.

use crate::api::Operation;
use crate::api::operations as op;
use crate::error::{ErrorBody, Instruction};

/// The command for each operation that a hint may name. `tools call` reaches the other tools.
const COMMANDS: [(&Operation, &str); 29] = [
    (&op::copy_from_snapshot::OPERATION, "cp --snapshot"),
    (&op::create_code_context::OPERATION, "contexts create"),
    (&op::create_workspace::OPERATION, "restore"),
    (&op::delete_code_context::OPERATION, "contexts delete"),
    (&op::delete_snapshot::OPERATION, "delete"),
    (&op::destroy_container::OPERATION, "destroy --container"),
    (&op::destroy_workspace::OPERATION, "destroy"),
    (&op::export_snapshot::OPERATION, "export"),
    (&op::fork_workspace::OPERATION, "fork"),
    (&op::import_backup::OPERATION, "import --backup"),
    (&op::list_commands::OPERATION, "history"),
    (&op::list_processes::OPERATION, "processes"),
    (&op::list_snapshot_files::OPERATION, "ls --snapshot"),
    (&op::list_snapshots::OPERATION, "list"),
    (&op::list_turns::OPERATION, "timeline"),
    (&op::list_workspaces::OPERATION, "workspaces"),
    (&op::open_session::OPERATION, "open"),
    (&op::pause_workspace::OPERATION, "pause"),
    (&op::read_process_log::OPERATION, "logs"),
    (&op::resume_workspace::OPERATION, "resume"),
    (&op::rewind::OPERATION, "rewind"),
    (&op::save_turn::OPERATION, "turn"),
    (&op::set_active_workspace::OPERATION, "switch"),
    (&op::start_fresh::OPERATION, "start-fresh"),
    (&op::start_process::OPERATION, "start"),
    (&op::stop_process::OPERATION, "stop"),
    (&op::take_snapshot::OPERATION, "snapshot"),
    (&op::update_snapshot::OPERATION, "update"),
    (&op::workspace_run::OPERATION, "run"),
];

/// What to do after an error, with this program's commands.
pub fn of(error: &ErrorBody) -> Option<String> {
    error.next.as_ref().map(say).or_else(|| error.hint.clone())
}

fn say(next: &Instruction) -> String {
    let mut said = String::new();
    let mut rest = next.text.as_str();
    while let Some((before, (inside, after))) =
        rest.split_once('{').and_then(|(before, from)| Some((before, from.split_once('}')?)))
    {
        said += before;
        let argument = next.arguments.as_ref().and_then(|all| all.get(inside));
        said += &argument.cloned().unwrap_or_else(|| command(inside));
        rest = after;
    }
    said + rest
}

/// The command line for an operation.
fn command(id: &str) -> String {
    match COMMANDS.iter().find(|(operation, _)| operation.id == id) {
        Some((_, command)) => format!("`snapshotter {command}`"),
        None if id.starts_with("workspace_") => format!("`snapshotter tools call {id}`"),
        None => id.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn hints_name_commands() {
        let hint = r#"{"text":"name {name}: {rewind}, {workspace_rm} or {new} }","arguments":{"name":"{a}"}}"#;
        let hint: Instruction = serde_json::from_str(hint).unwrap();
        let said = "name {a}: `snapshotter rewind`, `snapshotter tools call workspace_rm` or new }";
        assert_eq!(say(&hint), said);
    }

    #[test]
    fn every_command_exists() {
        for (operation, command) in COMMANDS {
            let mut at = crate::args::Cli::command();
            for word in command.split(' ') {
                let option = word.strip_prefix("--");
                let has_option = at.get_arguments().any(|one| one.get_long() == option);
                if option.is_some() {
                    assert!(has_option, "{command} for {}", operation.id);
                } else {
                    let found = at.find_subcommand(word).cloned();
                    at = found.unwrap_or_else(|| panic!("{command} for {}", operation.id));
                }
            }
        }
    }

    /// Every operation that the server's hints name has a command here.
    #[test]
    fn no_hint_is_left_without_a_command() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../src/domain/error/next.rs");
        let source = std::fs::read_to_string(file).unwrap();
        let sentences = source.split("\nsentences! {\n").nth(1).unwrap().split("\n}\n").next();
        let fields = ["process", "snapshot"];
        let mut count = 0;
        for line in sentences.unwrap().lines().filter_map(|line| line.split_once("=> ")) {
            for id in line.1.split('{').skip(1).filter_map(|part| part.split('}').next()) {
                count += 1;
                assert!(fields.contains(&id) || command(id).starts_with('`'), "{id}");
            }
        }
        assert!(count > 50, "{count}");
    }
}
