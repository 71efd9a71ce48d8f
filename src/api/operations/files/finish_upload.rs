//! Put the files of a stored archive into a directory.

use crate::api::operation::{
    Call, Descriptor, ENTERS, LogFields, Operation, OperationKind, Reply, Route, Verb, answer,
};
use crate::domain::{Needs, Result, Scope, UploadId};
use crate::ports::sandbox::ImportedTar;
use crate::session::{FinishUpload, Placed};
use serde::{Deserialize, Serialize};

pub(crate) struct Finish;

/// An upload and its end.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FinishUploadArgs {
    /// The upload to finish.
    pub upload: UploadId,
    /// The upload's archive, and the destination of its files.
    pub archive: FinishUpload,
}

impl OperationKind for Finish {
    type Input = FinishUploadArgs;

    const DESCRIPTOR: Descriptor = Descriptor {
        recorded: true,
        routes: &[Route::session(
            Verb::Post,
            "/v1/sessions/{session}/archive/uploads/{upload}",
            "finishUpload",
            "Import an archive from its stored parts",
            |asked| {
                let upload = asked.path_id("upload")?;
                Ok(Operation::of::<Finish>(FinishUploadArgs { upload, archive: asked.body()? }))
            },
        )
        .describe(
            "Imports the joined parts as importArchive does. If parts are missing, CONFLICT names them. If it fails, the parts stay.",
        )
        .takes::<FinishUpload>()
        .example(r#"{"parts":3,"path":"data"}"#)
        .answers::<Placed<ImportedTar>>()
        .errors(ENTERS)
        .recorded()],
        ..Descriptor::new("finishUpload", Needs::Scope(Scope::Write))
    };

    fn log(input: &FinishUploadArgs, fields: &mut LogFields) {
        fields.chosen(input.archive.workspace.as_ref());
    }

    async fn run(call: Call<'_>, input: FinishUploadArgs) -> Result<Reply> {
        answer(&call.session.finish_upload(input.upload, input.archive).await?)
    }
}
