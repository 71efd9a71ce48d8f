//! `preview`: links to servers of a workspace.

use super::selectors;
use super::session::WorkspaceRef;
use crate::api::{answer, operations as op, read};
use crate::error::Error;
use crate::output::format::age;
use crate::remote::Remote;
use clap::{Args, Subcommand};
use jiff::Timestamp;
use serde::Deserialize;

answer! {
    /// A new preview, with its link.
    pub struct SharedPreview { url: String, id: String, expires_at: String }

    /// The valid previews.
    pub struct PreviewList { previews: Vec<PreviewView> }

    /// A preview, without its link.
    pub struct PreviewView {
        id: String,
        port: u64,
        workspace: WorkspaceRef,
        created_at: String,
        expires_at: String,
    }
}

/// Share, list and revoke links to servers of a workspace
#[derive(Debug, Args)]
pub struct Preview {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Make a link to a server and print it; it can't be shown again
    Share {
        /// The server's port; the session must allow it
        port: u16,
        /// How long the link is valid, such as 1h or 7d [default: 1d]
        #[arg(long, value_name = "TIME", value_parser = selectors::seconds)]
        ttl: Option<u64>,
        /// Link to a server of this workspace [default: the active one]
        #[arg(long, short, value_name = "ID")]
        workspace: Option<String>,
        /// Let pages of this origin show the preview in a frame, such as https://app.example.com
        #[arg(long, value_name = "ORIGIN")]
        frame_ancestor: Vec<String>,
    },
    /// List the valid previews, newest first
    List,
    /// Revoke a preview's link at once
    Revoke {
        /// The preview's id
        preview: String,
    },
}

impl Preview {
    /// Runs the command.
    pub fn run(self, remote: &Remote) -> Result<(), Error> {
        let session = remote.session()?;
        match self.what {
            What::Share { port, ttl, workspace, frame_ancestor } => {
                use op::share_preview::field;
                let call = op::share_preview::call(session)?
                    .doing("Making a link")
                    .field(field::PORT, port)
                    .field(field::TTL_SECONDS, ttl)
                    .field(field::WORKSPACE, workspace)
                    .field(
                        field::FRAME_ANCESTORS,
                        (!frame_ancestor.is_empty()).then_some(frame_ancestor),
                    );
                remote.show(&call, |out, answer| {
                    let shared: SharedPreview = read(answer)?;
                    let expires = age(&shared.expires_at, Timestamp::now());
                    out.note(format!(
                        "preview {}, for anyone who has the link, expires {expires}:",
                        shared.id
                    ))?;
                    // The link is alone on standard output, for a pipe.
                    out.line(&shared.url)
                })
            }
            What::List => {
                let call = op::list_previews::call(session)?.doing("Listing previews");
                remote.show(&call, |out, answer| {
                    let now = Timestamp::now();
                    let rows = read::<PreviewList>(answer)?.previews.into_iter().map(|preview| {
                        [
                            preview.id,
                            preview.port.to_string(),
                            preview.workspace.id().to_owned(),
                            age(&preview.created_at, now),
                            age(&preview.expires_at, now),
                        ]
                    });
                    out.table(["ID", "PORT", "WORKSPACE", "MADE", "EXPIRES"], rows.collect())
                })
            }
            What::Revoke { preview } => {
                let call = op::revoke_preview::call(session, &preview)?.doing("Revoking");
                remote.show(&call, |out, _| out.line(format!("preview {preview} is revoked")))
            }
        }
    }
}
