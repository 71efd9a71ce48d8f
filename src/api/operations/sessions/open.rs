//! Open the session.

use crate::api::operation::{
    Call, Descriptor, Link, Method, Operation, OperationKind, Reply, Route, Verb, answer,
};
use crate::domain::{ErrorCode, Needs, Result, WorkspaceConfig};
use crate::session::SessionView;
use serde::{Deserialize, Serialize};

pub(crate) struct Open;

/// Arguments of `open`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct OpenArgs {
    /// The session's configuration.
    pub config: Box<WorkspaceConfig>,
}

impl OperationKind for Open {
    type Input = OpenArgs;

    const DESCRIPTOR: Descriptor = Descriptor {
        routes: &[Route::session(
            Verb::Put,
            "/v1/sessions/{session}",
            "openSession",
            "Open the session; repeating it with an equal configuration does nothing",
            |asked| Ok(Operation::of::<Open>(OpenArgs { config: asked.body()? })),
        )
        .takes::<WorkspaceConfig>()
        .example(r#"{"sleepAfter":"20m","envVars":{"CI":"1"},"capabilities":{"fs":true,"shell":true,"snapshot":true}}"#)
        .answers::<SessionView>()
        .leads(&[
            Link { name: "describe", to: "describeSession", path: &[], body: None },
            Link { name: "snapshot", to: "takeSnapshot", path: &[], body: Some("{}") },
            Link { name: "close", to: "closeSession", path: &[], body: None },
        ])
        .errors(&[
            ErrorCode::SnapshotNotOwned,
            ErrorCode::Conflict,
            ErrorCode::SnapshotExpired,
            ErrorCode::SnapshotGone,
            ErrorCode::Unsupported,
        ])],
        ..Descriptor::new("open", Needs::Trust)
    };

    const METHOD: Option<Method> = Some(Method::takes::<OpenArgs>().at(&["config"]).describe(
        "Opens the session. Opening it again with an equal configuration does nothing. Starts \
             no container. A later open may change `envVars`, `secrets`, `services`, `previewPorts`, `sleepAfter`, `keepAwake`, \
             `autosave`, `tools`, `destroyOnClose`, `forceImage`, `credentials` of buckets and the `size` of a pool. Fields that it leaves out keep their values, and so do values \
             that are `<redacted>`. Any other change is `CONFLICT`, with the fields in \
             `details.fields`; so is an open while a close destroys the session's workspaces.",
    ));

    async fn run(call: Call<'_>, input: OpenArgs) -> Result<Reply> {
        if let Some(selection) = &input.config.tools {
            call.tools.check_selection(selection)?;
        }
        let view = call.session.open(*input.config).await?;
        call.session.announce().await;
        answer(&view)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::session::config::reopen::REOPENABLE;

    #[test]
    fn what_a_later_open_may_change_is_described() {
        let decision = include_str!("../../../../docs/decisions/policy-at-first-open.md");
        for described in [Open::METHOD.unwrap().description, decision] {
            for field in REOPENABLE {
                assert!(described.contains(&format!("`{field}`")), "{field} in {described}");
            }
        }
        let page = include_str!("../../../../docs/session.md");
        let document = include_str!("../../../../docs/openapi.json");
        let document: serde_json::Value = serde_json::from_str(document).unwrap();
        let fields = &document["components"]["schemas"]["WorkspaceConfig"]["properties"];
        for field in fields.as_object().unwrap().keys() {
            let row = page.lines().find(|line| {
                line.split('|').nth(1).is_some_and(|cell| cell.contains(&format!("`{field}`")))
            });
            let row = row.unwrap_or_else(|| panic!("docs/session.md has no {field}"));
            let later = if REOPENABLE.contains(&field.as_str()) { "yes |" } else { "no |" };
            assert!(row.ends_with(later), "{row}");
        }
    }
}
