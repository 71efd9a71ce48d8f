//! The server's hints, in the words of this program: they name tools of a model.

/// The command that does what a tool does.
const COMMANDS: [(&str, &str); 38] = [
    ("workspace_branch", "branch"),
    ("workspace_compare", "compare"),
    ("workspace_copy_from_snapshot", "cp --snapshot"),
    ("workspace_copy_from_workspace", "cp --from"),
    ("workspace_create_code_context", "contexts create"),
    ("workspace_delete_code_context", "contexts delete"),
    ("workspace_delete_snapshot", "delete"),
    ("workspace_describe", "describe"),
    ("workspace_destroy", "destroy"),
    ("workspace_diff", "diff"),
    ("workspace_fork", "fork"),
    ("workspace_get_snapshot", "show"),
    ("workspace_grep", "grep"),
    ("workspace_lineage", "lineage"),
    ("workspace_list_code_contexts", "contexts list"),
    ("workspace_list_snapshots", "list"),
    ("workspace_list_workspaces", "workspaces"),
    ("workspace_logs", "logs"),
    ("workspace_ls", "ls"),
    ("workspace_pause", "pause"),
    ("workspace_processes", "processes"),
    ("workspace_promote", "promote"),
    ("workspace_read_file", "cat"),
    ("workspace_restore", "restore --switch"),
    ("workspace_resume", "resume"),
    ("workspace_rewind", "rewind"),
    ("workspace_run", "run"),
    ("workspace_run_in_code_context", "contexts run"),
    ("workspace_save_turn", "turn"),
    ("workspace_script", "script"),
    ("workspace_snapshot", "snapshot"),
    ("workspace_snapshot_grep", "grep --snapshot"),
    ("workspace_snapshot_ls", "ls --snapshot"),
    ("workspace_snapshot_read", "cat --snapshot"),
    ("workspace_start", "start"),
    ("workspace_stop", "stop"),
    ("workspace_switch", "switch"),
    ("workspace_timeline", "timeline"),
];

/// The hint with commands instead of tools.
pub fn for_people(hint: &str) -> String {
    let mut out = String::new();
    let mut rest = hint;
    while let Some(at) = rest.find("workspace_") {
        let (before, from) = rest.split_at(at);
        let end = from.find(|letter: char| !letter.is_ascii_lowercase() && letter != '_');
        let (tool, after) = from.split_at(end.unwrap_or(from.len()));
        out.push_str(before);
        match COMMANDS.iter().find(|(name, _)| *name == tool) {
            Some((_, command)) => out.push_str(&format!("`snapshotter {command}`")),
            None => out.push_str(tool),
        }
        rest = after;
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::operations as op;

    #[test]
    fn hints_name_commands() {
        assert_eq!(
            for_people("list it with workspace_snapshot_ls, or workspace_glob; else workspace_ls"),
            "list it with `snapshotter ls --snapshot`, or workspace_glob; else `snapshotter ls`"
        );
        assert_eq!(for_people("wait"), "wait");
        for (tool, _) in COMMANDS {
            assert!(
                op::ALL.iter().any(|operation| operation.id == tool),
                "{tool} is not published"
            );
        }
    }
}
