//! `tokens`: session tokens, which the operator makes.

use super::selectors;
use crate::api::{answer, operations as op, read};
use crate::error::Error;
use crate::output::format::age;
use crate::remote::Remote;
use clap::builder::PossibleValuesParser;
use clap::{Args, Subcommand};
use jiff::Timestamp;
use serde::Deserialize;

answer! {
    /// The valid tokens.
    pub struct TokenList { tokens: Vec<TokenView> }

    /// A token, without its text.
    pub struct TokenView {
        id: String,
        scopes: Vec<String>,
        description: Option<String>,
        created_at: String,
        expires_at: String,
    }

    /// A new token, with its text.
    pub struct CreatedToken { id: String, token: String, scopes: Vec<String>, expires_at: String }

    /// Whether a token was revoked.
    pub struct Revoked { revoked: bool }
}

/// Make, list and revoke the session's tokens. Needs the operator's token
#[derive(Debug, Args)]
pub struct Tokens {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Make a token and print it; it can't be shown again
    Create {
        /// What the token allows
        #[arg(required = true, value_parser = PossibleValuesParser::new(op::values::Scope))]
        scopes: Vec<String>,
        /// How long the token is valid, such as 1h or 30d [default: 1d]
        #[arg(long, value_name = "TIME", value_parser = selectors::seconds)]
        ttl: Option<u64>,
        /// What the token is for
        #[arg(long, short, value_name = "TEXT")]
        description: Option<String>,
    },
    /// List the valid tokens, newest first
    List,
    /// Revoke a token at once
    Revoke {
        /// The token's id
        token: String,
    },
}

impl Tokens {
    /// Runs the command.
    pub fn run(self, remote: &Remote) -> Result<(), Error> {
        let session = remote.session()?;
        match self.what {
            What::Create { scopes, ttl, description } => {
                use op::create_token::field;
                let call = op::create_token::call(session)?
                    .doing("Making a token")
                    .field(field::SCOPES, scopes)
                    .field(field::TTL_SECONDS, ttl)
                    .field(field::DESCRIPTION, description);
                remote.show(&call, |out, answer| {
                    let created: CreatedToken = read(answer)?;
                    let expires = age(&created.expires_at, Timestamp::now());
                    out.note(format!(
                        "token {} for {}, expires {expires}:",
                        created.id,
                        created.scopes.join(", ")
                    ))?;
                    // The token is alone on standard output, for a pipe.
                    out.line(&created.token)
                })
            }
            What::List => {
                let call = op::list_tokens::call(session)?.doing("Listing tokens");
                remote.show(&call, |out, answer| {
                    let now = Timestamp::now();
                    let rows = read::<TokenList>(answer)?.tokens.into_iter().map(|token| {
                        [
                            token.id,
                            token.scopes.join(","),
                            age(&token.created_at, now),
                            age(&token.expires_at, now),
                            token.description.unwrap_or_default(),
                        ]
                    });
                    out.table(["ID", "SCOPES", "MADE", "EXPIRES", "DESCRIPTION"], rows.collect())
                })
            }
            What::Revoke { token } => {
                let call = op::revoke_token::call(session, &token)?.doing("Revoking");
                remote.show(&call, |out, answer| {
                    let Revoked { revoked } = read(answer)?;
                    let what = if revoked { "is revoked" } else { "was not valid" };
                    out.line(format!("token {token} {what}"))
                })
            }
        }
    }
}
