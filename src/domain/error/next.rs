//! Hints that name an operation as the next step. A name in braces is the `operationId` of a route,
//! the name of a tool without a route, or a field of the variant. Each surface (`api::words`)
//! replaces operations by its own names for them.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// An instruction for the caller, as a template: each caller fills in its own names of operations.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
pub struct Instruction {
    /// A sentence. `{name}` stands for the operation with this `operationId`, or for the
    /// argument of this name.
    pub text: String,
    /// The sentence's arguments.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub arguments: BTreeMap<String, String>,
}

impl Instruction {
    /// The sentence. `name_of` names operations; an operation without a name keeps its id.
    #[must_use]
    pub fn say(&self, name_of: impl Fn(&str) -> Option<String>) -> String {
        let mut said = String::new();
        let mut rest = self.text.as_str();
        while let Some((before, (inside, after))) =
            rest.split_once('{').and_then(|(before, from)| Some((before, from.split_once('}')?)))
        {
            said += before;
            match self.arguments.get(inside) {
                Some(argument) => said += argument,
                None => said += &name_of(inside).unwrap_or_else(|| inside.to_owned()),
            }
            rest = after;
        }
        said + rest
    }
}

impl fmt::Display for Instruction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.say(|_| None))
    }
}

/// What to do next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hint {
    pub(super) text: String,
    pub(super) next: Option<Box<Instruction>>,
}

impl From<String> for Hint {
    fn from(text: String) -> Self {
        Self { text, next: None }
    }
}

impl From<&str> for Hint {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

impl From<Instruction> for Hint {
    fn from(next: Instruction) -> Self {
        Self { text: next.to_string(), next: Some(Box::new(next)) }
    }
}

impl From<Next> for Hint {
    fn from(next: Next) -> Self {
        Instruction::from(next).into()
    }
}

macro_rules! sentences {
    ($($name:ident $({ $($field:ident),+ })? => $text:literal;)+) => {
        /// The next step, if it is a call.
        #[derive(Debug, Clone, PartialEq, Eq)]
        #[expect(missing_docs, reason = "the sentence is beside the name")]
        pub enum Next {
            $($name $({ $($field: String),+ })?,)+
        }

        impl From<Next> for Instruction {
            fn from(next: Next) -> Self {
                let (text, arguments): (&str, Vec<(&str, String)>) = match next {
                    $(Next::$name $({ $($field),+ })? => {
                        ($text, vec![$($((stringify!($field), $field)),+)?])
                    })+
                };
                let own = |(name, argument): (&str, String)| (name.to_owned(), argument);
                Self { text: text.to_owned(), arguments: arguments.into_iter().map(own).collect() }
            }
        }

        #[cfg(test)]
        pub(crate) const SENTENCES: &[(&str, &str, &[&str])] =
            &[$((stringify!($name), $text, &[$($(stringify!($field)),+)?])),+];
    };
}

sentences! {
    // Files.
    LookForFile => "look for it with {workspace_glob}";
    MakeDirectory => "make it with {workspace_mkdir}, or see what exists with {workspace_ls}";
    CheckType => "check its type with {workspace_stat}, and use a call for that type";
    RenameOrRemove => "choose another name, or remove what already exists there with {workspace_rm}";
    StopWriter => "nothing was changed; stop that process, for example with {stopProcess}, then call again";
    SearchByCommand => "use an image that has it, or search with a command ({workspace_run})";
    LookInstead => "use an image that has it, or look at the directory with {workspace_ls}";
    LookAtFiles => "call again; if it fails again, look at the files with {workspace_run}";
    BringFilesBack => "bring back the files of a snapshot or turn with {rewind}; {listSnapshots} and {listTurns} list them. Or call again to go on without the files";
    ReadInParts => "read it in parts, by lines or bytes; write it in parts with {workspace_run}";
    WriteWholeFile => "to fill an empty file, write the whole file with {workspace_write_file}";
    EditByCommand => "replace fewer places, or change the file with a command ({workspace_run})";
    CopyByCommand => "name another workspace, or copy within this one with a command ({workspace_run})";
    ReplaceDirectory => "put a snapshot's files there with {rewind}, which first moves away a file or link that has the directory's name; nothing is saved until then";

    // Files of snapshots.
    ListSnapshotDirectory => "list it with {workspace_glob}, or name a file";
    ListDirectoryAbove => "list the directory above it with {workspace_glob}";
    CopyFiles => "copy the files over with {copyFromSnapshot} instead";

    // Commands, code and processes.
    RunListedProgram => "run one of the listed programs with {workspace_run}";
    WriteCodeToFile => "write the code to a file with {workspace_write_file}, then import or run the file";
    StartServer => "start a server with {startProcess}, or as one of the session's services";
    ListProcesses => "list the processes with {listProcesses}; they end with their container, which stops when the workspace is idle";
    ReadKeptOutput { process } => "before you call again, look at what the command has done; {readProcessLog} with name {process} has what it printed";
    CreateCodeContext => "create one with {createCodeContext}, and run again the code that set its variables; files are kept";
    DeleteCodeContext => "first delete one with {deleteCodeContext}";
    TryInterpreter => "check with {workspace_run} whether the interpreter runs; a larger memoryMib may help";
    RunCodeOnce => "use {workspace_run_code}, or a session whose first open declares capabilities.code.stateful";

    // Git checkpoints.
    RemoveLock => "if no git command runs ({workspace_run} with pgrep -a git), remove the lock file and call again";
    RemoveUnreadable => "remove or replace it and call again, or take a snapshot with {takeSnapshot}";
    ListGitCheckpoints => "list the git checkpoints with {workspace_git_checkpoint_list}";
    NameRepository => "name the directory of a repository in the workspace, or take a snapshot with {takeSnapshot}";
    SnapshotInstead => "use an image that has git, or take a snapshot with {takeSnapshot}";

    // Snapshots and turns.
    ChooseSnapshot => "choose another snapshot; {listSnapshots} lists them";
    ListOwnSnapshots => "list this session's snapshots with {listSnapshots}; name a snapshot that another session has published by its id";
    ListNames => "{listSnapshots} lists snapshots and their names, and {listTurns} lists turns";
    SaveFirst => "take a snapshot with {takeSnapshot}, or save a turn with {saveTurn}";
    ChooseTurn => "choose a turn; {listTurns} lists them";
    FreeName { snapshot } => "choose another name, or free this one first: call {updateSnapshot} with ref \"{snapshot}\" and name null, or {deleteSnapshot}";
    ImportBackup => "make a snapshot of it with {importBackup}, and use that";
    ExportInParts => "read it with {exportSnapshot}, and upload it in parts";

    // Workspaces.
    RestoreNew => "retry; if that fails too, go on in a new workspace ({createWorkspace})";
    EndOrRestoreNew => "end them, or restore the snapshot into a new workspace with {createWorkspace}";
    RestoreElsewhere => "restore the snapshot into a new workspace with {createWorkspace}";
    RestoreOwn => "make a workspace of your own from the snapshot with {createWorkspace}";
    RestoreOrStartFresh => "go on from a snapshot ({listSnapshots}, then {createWorkspace}), or start fresh in an empty workspace ({startFresh})";
    RestoreOrGiveUp => "call again if this is retryable; otherwise restore another snapshot ({listSnapshots}, then {createWorkspace}), or give up the files with {startFresh}";
    Switch => "switch to it with {setActiveWorkspace}";
    SwitchAway => "switch to another workspace of this session with {setActiveWorkspace}";
    ListWorkspaces => "list this session's workspaces with {listWorkspaces}";
    ChooseReady => "choose a workspace that is ready; {listWorkspaces} lists them";
    ForkSome => "make some with {forkWorkspace}; {listWorkspaces} lists those that exist";
    Resume => "resume it with {resumeWorkspace} and call again, or switch to another workspace of this session with {setActiveWorkspace}";
    DestroyOne => "destroy a workspace that is no longer needed with {destroyWorkspace}; to go back in place, {rewind} needs no other workspace";
    DestroyOthers => "the changes were brought over; destroy the other workspaces with {destroyWorkspace}";
    PauseOne => "pause a workspace that is not needed now with {pauseWorkspace}, destroy it with {destroyWorkspace}, or wait until an idle one sleeps (sleepAfter)";
    PauseOneOrRewind => "pause a workspace that is not needed now with {pauseWorkspace}, destroy it with {destroyWorkspace}, or wait until an idle one sleeps (sleepAfter); to go back in place, {rewind} needs no other workspace";
    AwaitRewind => "the rewind will soon be finished, or given up with the workspace as it was; then check fromSnapshotId of {workspace_describe} to see which happened";
    EndContainer => "the container is left as it is; an operator can end it with {destroyContainer}, and the workspace then wakes with its last saved files";

    // Sessions.
    OpenFirst => "open it first with {openSession}";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_is_said_with_the_names_of_a_surface() {
        let next = Instruction::from(Next::ReadKeptOutput { process: "{rewind} a}b{".into() });
        let name = |id: &str| (id == "readProcessLog").then(|| "readProcessLog()".to_owned());
        let said = next.say(name);
        assert!(said.contains("; readProcessLog() with name {rewind} a}b{ has"), "{said}");
        assert!(next.to_string().contains("; readProcessLog with name"), "{next}");
        let plain = Instruction { text: "a } b { c".into(), arguments: BTreeMap::new() };
        assert_eq!(plain.to_string(), "a } b { c");
    }

    #[test]
    fn instruction_format_unchanged() {
        let next = Instruction::from(Next::FreeName { snapshot: "s1".into() });
        let text = serde_json::to_value(&next).unwrap();
        assert_eq!(text["arguments"], serde_json::json!({ "snapshot": "s1" }));
        assert_eq!(serde_json::from_value::<Instruction>(text).unwrap(), next);
        let next = Instruction::from(Next::Switch);
        let json = r#"{"text":"switch to it with {setActiveWorkspace}"}"#;
        assert_eq!(serde_json::to_string(&next).unwrap(), json);
    }

    #[test]
    fn every_sentence_reads_as_a_hint() {
        for (name, text, fields) in SENTENCES {
            assert!(text.len() > 10 && !text.ends_with('.'), "{name}: {text}");
            assert!(!text.contains("POST ") && !text.contains(" workspace_"), "{name}: {text}");
            for field in *fields {
                assert!(text.contains(&format!("{{{field}}}")), "{name} leaves out {field}");
            }
        }
    }
}
