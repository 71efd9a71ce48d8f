//! Callers, and the permissions that calls need.

use crate::domain::{Error, ErrorCode, PreviewId, Result, TokenId};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::collections::BTreeSet;
use std::fmt;

/// A kind of access. No scope implies another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
pub enum Scope {
    /// Look at the session, its snapshots, workspaces, events, tools and files.
    Read,
    /// Change files, run commands and code, choose the workspace to act on, pause
    /// and resume workspaces.
    Write,
    /// Take, edit and delete snapshots; restore, branch, live fork and rewind.
    Snapshot,
    /// Close the session, destroy a workspace.
    Admin,
}

impl Scope {
    /// Every scope, for tables and tests.
    pub const ALL: [Self; 4] = [Self::Read, Self::Write, Self::Snapshot, Self::Admin];

    /// The published name.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Snapshot => "snapshot",
            Self::Admin => "admin",
        }
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Scopes that a caller has, in a fixed order, each once.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(schemas, derive(schemars::JsonSchema))]
pub struct Scopes(
    // A scope that is listed twice counts once.
    #[cfg_attr(schemas, schemars(with = "Vec<Scope>"))] BTreeSet<Scope>,
);

impl Scopes {
    /// Whether there are no scopes. Such a caller could do nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether the scopes include `scope`.
    #[must_use]
    pub fn has(&self, scope: Scope) -> bool {
        self.0.contains(&scope)
    }

    /// Every scope in the set.
    pub fn iter(&self) -> impl Iterator<Item = Scope> {
        self.0.iter().copied()
    }
}

impl FromIterator<Scope> for Scopes {
    fn from_iter<T: IntoIterator<Item = Scope>>(scopes: T) -> Self {
        Self(scopes.into_iter().collect())
    }
}

/// The permission that a call needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Needs {
    /// To be a caller of this session.
    Nothing,
    /// A scope.
    Scope(Scope),
    /// The scope `write`, or a preview's link: for requests to servers.
    Port,
    /// An unrestricted caller: to set the session's policy, or grant access to it.
    Trust,
}

/// What other callers need to cancel a call, repeat it or see its record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rights {
    /// The permission that the call itself needs.
    pub needs: Needs,
    /// The scopes with which the call acts for its caller.
    pub scopes: Scopes,
}

impl From<Needs> for Rights {
    fn from(needs: Needs) -> Self {
        Self { needs, scopes: Scopes::default() }
    }
}

/// The sender of a call. The surface identifies it; the session's object checks its permissions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Caller {
    /// The caller sent `API_TOKEN`.
    Operator,
    /// It sent a token of this session. The surface has checked signature and expiry.
    Token {
        /// For checking whether the token is revoked.
        id: TokenId,
        /// What the token allows.
        scopes: Scopes,
    },
    /// It has a preview's link, which the surface has checked, and may reach only its port.
    Preview {
        /// For checking whether the preview is revoked.
        id: PreviewId,
    },
    /// Another Worker of the same account, over RPC, trusted unless it restricted itself.
    Binding {
        /// The scopes to which it restricted itself, if it did.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        scopes: Option<Scopes>,
    },
}

impl Caller {
    /// A Worker that has not restricted itself.
    pub const BINDING: Self = Self::Binding { scopes: None };

    /// The kind of caller, for the log.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Operator => "operator",
            Self::Token { .. } => "token",
            Self::Preview { .. } => "preview",
            Self::Binding { .. } => "binding",
        }
    }

    /// Whether the caller has the permission that a call needs.
    #[must_use]
    pub fn may(&self, needs: Needs) -> bool {
        let scopes = match self {
            Self::Preview { .. } => return needs == Needs::Port,
            Self::Operator | Self::Binding { scopes: None } => return true,
            Self::Token { scopes, .. } | Self::Binding { scopes: Some(scopes) } => scopes,
        };
        match needs {
            Needs::Nothing => true,
            Needs::Scope(scope) => scopes.has(scope),
            Needs::Port => scopes.has(Scope::Write),
            Needs::Trust => false,
        }
    }

    /// Refuses access to another caller's call that needs more rights.
    ///
    /// # Errors
    /// As [`Self::check`].
    pub fn check_rights(&self, rights: &Rights) -> Result<()> {
        self.check(rights.needs)?;
        rights.scopes.iter().try_for_each(|scope| self.check(Needs::Scope(scope)))
    }

    /// Refuses a call that needs more than the caller may do.
    ///
    /// # Errors
    /// `FORBIDDEN` naming the missing scope.
    pub fn check(&self, needs: Needs) -> Result<()> {
        if self.may(needs) {
            return Ok(());
        }
        let missing = match needs {
            Needs::Scope(scope) => Some(scope),
            Needs::Port => Some(Scope::Write),
            Needs::Nothing | Needs::Trust => None,
        };
        Err(match missing {
            Some(scope) => Error::new(
                ErrorCode::Forbidden,
                format!("this needs the scope {scope}, which the caller does not have"),
            )
            .with_hint("ask the operator for a token with that scope, or do without")
            .with_details(json!({ "missingScope": scope })),
            None => Error::new(
                ErrorCode::Forbidden,
                "only the operator or an unrestricted Worker can do this",
            )
            .with_hint("no scope allows it; ask the operator"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn token(scopes: &[Scope]) -> Caller {
        let id = TokenId::from_random([0; 16]);
        Caller::Token { id, scopes: scopes.iter().copied().collect() }
    }

    #[test]
    fn no_scope_implies_another_and_none_is_trust() {
        for had in Scope::ALL {
            let restricted = Caller::Binding { scopes: Some(Scopes::from_iter([had])) };
            for caller in [token(&[had]), restricted] {
                for needed in Scope::ALL {
                    assert_eq!(caller.may(Needs::Scope(needed)), had == needed, "{had} {needed}");
                }
                assert!(caller.may(Needs::Nothing) && !caller.may(Needs::Trust));
            }
        }
        let all = token(&Scope::ALL);
        assert!(Scope::ALL.iter().all(|scope| all.may(Needs::Scope(*scope))));
        assert!(!all.may(Needs::Trust));
        for trusted in [Caller::Operator, Caller::BINDING] {
            assert!(trusted.may(Needs::Trust) && trusted.may(Needs::Scope(Scope::Admin)));
        }
        let visitor = Caller::Preview { id: PreviewId::from_random([0; 16]) };
        assert!(visitor.may(Needs::Port) && token(&[Scope::Write]).may(Needs::Port));
        assert!(!token(&[Scope::Read, Scope::Snapshot, Scope::Admin]).may(Needs::Port));
        for needs in [Needs::Nothing, Needs::Trust, Needs::Scope(Scope::Write)] {
            assert!(!visitor.may(needs), "{needs:?}");
        }
        let nothing = Caller::Binding { scopes: Some(Scopes::default()) };
        assert!(!nothing.may(Needs::Scope(Scope::Read)), "no scope is not every scope");
    }

    #[test]
    fn a_refusal_names_the_scope() {
        let error = token(&[Scope::Read]).check(Needs::Scope(Scope::Snapshot)).unwrap_err();
        assert_eq!(error.code, ErrorCode::Forbidden);
        assert_eq!(error.details, Some(json!({ "missingScope": "snapshot" })));
        assert!(error.message.contains("snapshot"), "{error}");
        assert_eq!(token(&[]).check(Needs::Trust).unwrap_err().details, None);
    }

    #[test]
    fn caller_format_unchanged() {
        for (caller, text) in [
            (Caller::Operator, r#"{"kind":"operator"}"#),
            (
                token(&[Scope::Write, Scope::Read, Scope::Write]),
                r#"{"kind":"token","id":"00000000000000000000000000","scopes":["read","write"]}"#,
            ),
            (Caller::BINDING, r#"{"kind":"binding"}"#),
            (
                Caller::Binding { scopes: Some(Scopes::default()) },
                r#"{"kind":"binding","scopes":[]}"#,
            ),
        ] {
            assert_eq!(serde_json::to_string(&caller).unwrap(), text);
            assert_eq!(serde_json::from_str::<Caller>(text).unwrap(), caller);
        }
    }
}
