//! Read a file of a snapshot.

use crate::api::operation::{Call, Descriptor, LogFields, Method, OperationKind, Reply};
use crate::domain::{Needs, Result, Scope};
use crate::ports::sandbox::ReadFileResult;
use crate::session::ReadSnapshotFile;

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
