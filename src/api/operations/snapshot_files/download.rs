//! Stream the content of a snapshot's file.

use crate::api::operation::{
    Asked, CROSS, Call, Descriptor, LogFields, Method, Operation, OperationKind, REACHES, Reply,
    Resolves, Route, Verb,
};
use crate::api::operations::snapshot_files::asked::{PATH, asked_of};
use crate::domain::{Needs, Result, Scope};
use crate::session::{DownloadFile as Input, SnapshotPath};

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
