//! Files of snapshots. They are read from the bucket.

use crate::api::operation::absence::{MOVES_DIRECTORIES, READ_IN_PARTS};
use crate::api::operation::{
    Asked, CROSS, CURSOR, Call, Descriptor, Entry, LogFields, Method, Module, Operation,
    OperationKind, Param, ParamKind, REACHES, Reply, Resolves, Route, Tool, ToolCall, ToolEntry,
    ToolKind, Verb, WORKS, answer, flag,
};
use crate::domain::arguments::read;
use crate::domain::limits::{
    GREP_CONTEXT_MAX_LINES, GREP_MAX_LINES, LIST_FILES_MAX_ENTRIES, PATH_MAX_BYTES,
    PATTERN_MAX_BYTES,
};
use crate::domain::{Needs, Result, Scope};
use crate::ports::sandbox::ReadFileResult;
use crate::session::{
    CopiedFiles, CopyFromSnapshot, DownloadFile as Input, ListSnapshotFiles, ListedFiles, Placed,
    ReadSnapshotFile, SearchSnapshot, SearchedSnapshot, SnapshotPath, StatView,
};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

pub(crate) static OPERATIONS: &[&Entry] = &[
    Entry::of::<ListFiles>(),
    Entry::of::<ReadFile>(),
    Entry::of::<DownloadFile>(),
    Entry::of::<StatFile>(),
    Entry::of::<Grep>(),
    Entry::of::<Copy>(),
];

pub(crate) static TOOLS: &[&ToolEntry] = &[ToolEntry::of_operation::<Copy>()];

pub(super) const PATH: Param = Param {
    name: "path",
    kind: ParamKind::Text { max: PATH_MAX_BYTES },
    description: "Path relative to the snapshot's root. Default: the root.",
};

/// Reads the query as arguments, and adds the snapshot from the path.
pub(super) fn asked_of<T: DeserializeOwned>(asked: &Asked<'_>) -> Result<T> {
    let mut args: Map<String, Value> = asked.query()?;
    args.insert("ref".to_owned(), json!(asked.path("snapshot")?));
    read("query", Value::Object(args))
}

/// List files of a snapshot.
pub(crate) struct ListFiles;

const GLOB: Param = Param {
    name: "glob",
    kind: ParamKind::Text { max: PATTERN_MAX_BYTES },
    description: "Only paths that match, e.g. *.py or src/*.ts.",
};

const ENTRIES: Param = Param {
    name: "limit",
    kind: ParamKind::Count { min: 1, max: LIST_FILES_MAX_ENTRIES as u64 },
    description: "Maximum entries per page. Default: 1000.",
};

impl OperationKind for ListFiles {
    type Input = ListSnapshotFiles;

    const DESCRIPTOR: Descriptor = Descriptor {
        routes: &[Route::session(
            Verb::Get,
            "/v1/sessions/{session}/snapshots/{snapshot}/files",
            "listSnapshotFiles",
            "List files of a snapshot",
            |asked| Ok(Operation::of::<ListFiles>(asked_of(asked)?)),
        )
        .describe("Reads the archive in the bucket. Starts no container.")
        .query(&[
            PATH,
            flag("recursive", "Also list the directories' contents."),
            GLOB,
            ENTRIES,
            CURSOR,
            CROSS,
        ])
        .answers::<ListedFiles>()
        .errors(REACHES)],
        ..Descriptor::new("listFiles", Needs::Scope(Scope::Read))
    };

    const METHOD: Option<Method> = Some(Method::takes::<ListSnapshotFiles>().at(&["ref"]).describe(
        "Lists a directory of a snapshot, by default its root, in the order of paths. Reads the \
         archive in the bucket, and starts no container.",
    ));

    fn log(input: &ListSnapshotFiles, fields: &mut LogFields) {
        fields.snapshot(&input.r#ref);
    }

    async fn run(call: Call<'_>, input: ListSnapshotFiles) -> Result<Reply> {
        answer(&call.session.list_snapshot_files(input).await?)
    }
}

/// Show what a path in a snapshot is.
pub(crate) struct StatFile;

impl OperationKind for StatFile {
    type Input = SnapshotPath;

    const DESCRIPTOR: Descriptor = Descriptor {
        routes: &[Route::session(
            Verb::Get,
            "/v1/sessions/{session}/snapshots/{snapshot}/files/stat",
            "statSnapshotFile",
            "Look at a path of a snapshot",
            |asked| Ok(Operation::of::<StatFile>(asked_of(asked)?)),
        )
        .without_view(READ_IN_PARTS)
        .describe("Does not follow a symbolic link. Starts no container.")
        .query(&[PATH, CROSS])
        .answers::<StatView>()
        .errors(REACHES)],
        ..Descriptor::new("statFile", Needs::Scope(Scope::Read))
    };

    const METHOD: Option<Method> = Some(
        Method::takes::<SnapshotPath>()
            .at(&["ref", "path"])
            .describe("Looks at a path of a snapshot, without following a symbolic link."),
    );

    fn log(input: &SnapshotPath, fields: &mut LogFields) {
        fields.snapshot(&input.r#ref);
    }

    async fn run(call: Call<'_>, input: SnapshotPath) -> Result<Reply> {
        answer(&call.session.stat_snapshot_file(input).await?)
    }
}

/// Read a file of a snapshot.
pub(crate) struct ReadFile;

impl OperationKind for ReadFile {
    type Input = ReadSnapshotFile;

    const DESCRIPTOR: Descriptor = Descriptor::new("readFile", Needs::Scope(Scope::Read));

    const METHOD: Option<Method> = Some(
        Method::takes::<ReadSnapshotFile>()
            .at(&["ref", "path"])
            .answers::<ReadFileResult>()
            .describe(
                "Reads a file of a snapshot, at most 2 MiB at once, or a part of it. `streamFile` \
             reads larger ones. Starts no container.",
            ),
    );

    fn log(input: &ReadSnapshotFile, fields: &mut LogFields) {
        fields.snapshot(&input.r#ref);
    }

    async fn run(call: Call<'_>, input: ReadSnapshotFile) -> Result<Reply> {
        Ok(Reply::Value(call.session.read_snapshot_file(input).await?.into_value()?))
    }
}

/// Find lines in files of a snapshot.
pub(crate) struct Grep;

const fn text(name: &'static str, description: &'static str) -> Param {
    Param { name, kind: ParamKind::Text { max: PATTERN_MAX_BYTES }, description }
}

const fn count(name: &'static str, min: u64, max: u64, description: &'static str) -> Param {
    Param { name, kind: ParamKind::Count { min, max }, description }
}

impl OperationKind for Grep {
    type Input = SearchSnapshot;

    const DESCRIPTOR: Descriptor = Descriptor {
        routes: &[Route::session(
            Verb::Get,
            "/v1/sessions/{session}/snapshots/{snapshot}/files/lines",
            "searchSnapshot",
            "Find lines in files of a snapshot",
            |asked| Ok(Operation::of::<Grep>(asked_of(asked)?)),
        )
        .describe(
            "Searches the archive in the bucket, at most 16 MiB of content per page. Starts no container.",
        )
        .query(&[
            text("pattern", "Regular expression; with fixed, the text itself. Required."),
            PATH,
            flag("fixed", "Treat pattern as literal text."),
            flag("ignoreCase", "Ignore case of ASCII letters."),
            text("glob", "Only files whose paths match, e.g. *.py."),
            count("context", 0, GREP_CONTEXT_MAX_LINES as u64, "Lines to show before and after each match."),
            flag("includeIgnored", "Also files in .git."),
            count("limit", 1, GREP_MAX_LINES as u64, "Maximum lines per page. Default: 200."),
            CURSOR,
            CROSS,
        ])
        .answers::<SearchedSnapshot>()
        .errors(REACHES)],
        ..Descriptor::new("grep", Needs::Scope(Scope::Read))
    };

    const METHOD: Option<Method> =
        Some(Method::takes::<SearchSnapshot>().at(&["ref", "pattern"]).describe(
            "Finds lines in files of a snapshot, and says what it did not search. Starts no container.",
        ));

    fn log(input: &SearchSnapshot, fields: &mut LogFields) {
        fields.snapshot(&input.r#ref);
    }

    async fn run(call: Call<'_>, input: SearchSnapshot) -> Result<Reply> {
        answer(&call.session.search_snapshot(input).await?)
    }
}

/// Stream the content of a snapshot's file.
pub(crate) struct DownloadFile;

impl OperationKind for DownloadFile {
    type Input = Input;

    const DESCRIPTOR: Descriptor = Descriptor {
        routes: &[Route::session(
            Verb::Get,
            "/v1/sessions/{session}/snapshots/{snapshot}/files/content",
            "downloadSnapshotFile",
            "Read a file of a snapshot",
            |asked| Ok(Operation::of::<DownloadFile>(asked_file(asked)?)),
        )
        .without_view(READ_IN_PARTS)
        .describe(
            "Reads a file of any size from the bucket, as fast as the client takes it. Starts no container.",
        )
        .query(&[PATH, CROSS])
        .file()
        .errors(REACHES)],
        ..Descriptor::new("streamFile", Needs::Scope(Scope::Read))
    };

    const METHOD: Option<Method> =
        Some(Method::takes::<Input>().at(&["ref", "path"]).resolves(Resolves::Stream).describe(
            "Returns the content of a file of a snapshot, of any size. Starts no container.",
        ));

    fn log(input: &Input, fields: &mut LogFields) {
        fields.snapshot(&input.r#ref);
    }

    async fn run(call: Call<'_>, input: Input) -> Result<Reply> {
        Ok(Reply::File(call.session.download_file(input).await?))
    }
}

fn asked_file(asked: &Asked<'_>) -> Result<Input> {
    let SnapshotPath { r#ref, allow_cross_session, path } = asked_of(asked)?;
    // A server may ignore a range, and must do so if the condition of `If-Range` fails.
    let range = (asked.header)("range").filter(|_| (asked.header)("if-range").is_none());
    let Range { offset, length, suffix } =
        range.as_deref().and_then(Range::parse).unwrap_or_default();
    Ok(Input { r#ref, allow_cross_session, path, offset, max_bytes: length, suffix_bytes: suffix })
}

/// One range of bytes.
#[derive(Default)]
struct Range {
    offset: Option<u64>,
    length: Option<u64>,
    suffix: Option<u64>,
}

impl Range {
    /// Reads a header that asks for one range. None if it asks for several, or in an unknown unit.
    fn parse(header: &str) -> Option<Self> {
        let (first, last) = header.strip_prefix("bytes=")?.split_once('-')?;
        let number = |text: &str| text.trim().parse::<u64>().ok();
        Some(match (first.trim(), last.trim()) {
            ("", last) => Self { suffix: Some(number(last)?), ..Self::default() },
            (first, "") => Self { offset: Some(number(first)?), ..Self::default() },
            (first, last) => {
                let offset = number(first)?;
                let length = number(last)?.checked_sub(offset)?.saturating_add(1);
                Self { offset: Some(offset), length: Some(length), suffix: None }
            }
        })
    }
}

/// Copy files of a snapshot into a workspace.
pub(crate) struct Copy;

impl OperationKind for Copy {
    type Input = CopyFromSnapshot;

    const DESCRIPTOR: Descriptor = Descriptor {
        routes: &[Route::session(
            Verb::Post,
            "/v1/sessions/{session}/copy",
            "copyFromSnapshot",
            "Copy files of a snapshot into a workspace",
            |asked| Ok(Operation::of::<Copy>(asked.body()?)),
        )
        .without_view(MOVES_DIRECTORIES)
        .describe(
            "All or nothing. Files replace files of the same name; directories are merged. Everything else stays.",
        )
        .takes::<CopyFromSnapshot>()
        .answers::<Placed<CopiedFiles>>()
        .errors(WORKS)],
        ..Descriptor::new("copyFromSnapshot", Needs::Scope(Scope::Write))
    };

    const METHOD: Option<Method> =
        Some(Method::takes::<CopyFromSnapshot>().at(&["ref", "paths"]).describe(
            "Copies files and directories of a snapshot into a workspace, all or none. \
             Files replace files of the same name, and directories are merged. Everything else \
             stays.",
        ));

    fn log(input: &CopyFromSnapshot, fields: &mut LogFields) {
        fields.snapshot(&input.r#ref);
        fields.chosen(input.workspace.as_ref());
    }

    async fn run(call: Call<'_>, input: CopyFromSnapshot) -> Result<Reply> {
        answer(&call.session.copy_from_snapshot(input).await?)
    }
}

impl ToolKind for Copy {
    type Input = CopyFromSnapshot;
    type Output = Placed<CopiedFiles>;

    const TOOL: Tool = Tool {
        name: "workspace_copy_from_snapshot",
        title: "Copy files from a snapshot",
        module: Module::Snapshot,
        scope: Scope::Write,
        destructive: true,
        idempotent: true,
        description: "Copy files or directories from a snapshot to the same paths in the active \
                      workspace; all or none. Use it to get some files back; workspace_rewind puts \
                      all files back. Files of the same name are replaced; everything else stays.",
        ..Tool::NEW
    };

    async fn call(call: ToolCall<'_>, input: CopyFromSnapshot) -> Result<Placed<CopiedFiles>> {
        call.session.copy_from_snapshot(input).await
    }
}
