//! Remove the stored parts of an archive.

use crate::api::operation::{
    Call, Descriptor, ENTERS, LogFields, Operation, OperationKind, Reply, Route, Verb, WORKSPACE,
    answer,
};
use crate::domain::{Needs, Result, Scope, UploadId, WorkspaceRef};
use crate::session::{AbortedUpload, Placed};
use serde::{Deserialize, Serialize};

pub(crate) struct AbortUpload;

/// An upload.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct UploadTarget {
    /// The upload to abort.
    pub upload: UploadId,
    /// The workspace that has the upload's parts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workspace: Option<WorkspaceRef>,
}

impl OperationKind for AbortUpload {
    type Input = UploadTarget;

    const DESCRIPTOR: Descriptor = Descriptor {
        routes: &[Route::session(
            Verb::Delete,
            "/v1/sessions/{session}/archive/uploads/{upload}",
            "abortUpload",
            "Remove the parts of an upload; repeating it succeeds",
            |asked| {
                let upload = asked.path_id("upload")?;
                let workspace = asked.workspace()?;
                Ok(Operation::of::<AbortUpload>(UploadTarget { upload, workspace }))
            },
        )
        .query(&[WORKSPACE])
        .answers::<Placed<AbortedUpload>>()
        .errors(ENTERS)],
        ..Descriptor::new("abortUpload", Needs::Scope(Scope::Write))
    };

    fn log(input: &UploadTarget, fields: &mut LogFields) {
        fields.chosen(input.workspace.as_ref());
    }

    async fn run(call: Call<'_>, input: UploadTarget) -> Result<Reply> {
        answer(&call.session.abort_upload(input.workspace.as_ref(), input.upload).await?)
    }
}
