//! Find lines in files of a snapshot.

use crate::api::operation::{
    CROSS, CURSOR, Call, Descriptor, LogFields, Method, Operation, OperationKind, Param, ParamKind,
    REACHES, Reply, Route, Verb, answer, flag,
};
use crate::api::operations::snapshot_files::asked::{PATH, asked_of};
use crate::domain::limits::{GREP_CONTEXT_MAX_LINES, GREP_MAX_LINES, PATTERN_MAX_BYTES};
use crate::domain::{Needs, Result, Scope};
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
            "Searches the archive in the bucket, at most 16 MiB of content per page. Starts no container.",
        )
        .query(&[
            text("pattern", "Regular expression; with fixed, the text itself. Required."),
            PATH,
            flag("fixed", "pattern is literal text."),
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
