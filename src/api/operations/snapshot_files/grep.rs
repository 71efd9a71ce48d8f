//! Find lines in files of a snapshot.

use crate::api::http::param::{CROSS, CURSOR, Param, ParamKind, flag};
use crate::api::http::route::REACHES;
use crate::api::http::{Route, Verb};
use crate::api::operation::descriptor::{
    Call, Descriptor, LogFields, Operation, OperationKind, answer,
};
use crate::api::operation::method::Method;
use crate::api::operation::tool::{Module, Tool, ToolCall, ToolKind};
use crate::api::operations::snapshot_files::{PATH, asked_of};
use crate::api::reply::Reply;
use crate::domain::error::Result;
use crate::domain::limits::{GREP_CONTEXT_MAX_LINES, GREP_MAX_LINES, PATTERN_MAX_BYTES};
use crate::domain::session::scope::{Needs, Scope};
use crate::session::{SearchSnapshot, SearchedSnapshot};

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
            "Searches the archive in the bucket, at most 16 MiB of content for a page. Starts no container.",
        )
        .query(&[
            text("pattern", "Regular expression, or with fixed the text itself. Required."),
            PATH,
            flag("fixed", "pattern is literal text."),
            flag("ignoreCase", "Ignore case of ASCII letters."),
            text("glob", "Only files whose paths match, e.g. *.py."),
            count("context", 0, GREP_CONTEXT_MAX_LINES as u64, "Lines to show before and after each match."),
            flag("includeIgnored", "Also files in .git."),
            count("limit", 1, GREP_MAX_LINES as u64, "Lines of a page at most. Default: 200."),
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

impl ToolKind for Grep {
    type Input = SearchSnapshot;
    type Output = SearchedSnapshot;

    const TOOL: Tool = Tool {
        name: "workspace_snapshot_grep",
        title: "Search in files of a snapshot",
        module: Module::Snapshot,
        scope: Scope::Read,
        description: "Find the lines of files of a snapshot that match a regular expression or, with fixed, a literal \
                      text, without restoring it. Searches everything below path but binary files, files past 2 MiB, \
                      symbolic links and .git; notSearched counts those. If nextCursor is there, the search is not \
                      complete: call again with it as cursor.",
        in_scripts: true,
        ..Tool::NEW
    };

    async fn call(call: ToolCall<'_>, input: SearchSnapshot) -> Result<SearchedSnapshot> {
        call.session.search_snapshot(input).await
    }
}
