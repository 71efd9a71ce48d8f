//! Paths of servers in containers.

use crate::domain::{Error, Result, SandboxId, SessionId, WorkspaceRef};

/// A server that a path names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathTarget {
    /// The session.
    pub session: SessionId,
    /// The workspace that has the container. None: the active one.
    pub workspace: Option<WorkspaceRef>,
    /// The server's port.
    pub port: u16,
    /// The path that names the server, without a final slash.
    pub prefix: String,
    /// The path on the server.
    pub path: String,
}

/// Reads `/v1/sessions/{session}/ports/{port}/…` and
/// `/v1/sessions/{session}/workspaces/{workspace}/ports/{port}/…`. Takes the path as it was sent,
/// and its decoded segments. None for other paths.
///
/// # Errors
/// `INVALID_ARGUMENT` naming the parameter.
#[must_use]
pub fn path_target(raw: &str, segments: &[String]) -> Option<Result<PathTarget>> {
    let words: Vec<&str> = segments.iter().map(String::as_str).collect();
    let (session, workspace, port, count) = match words.as_slice() {
        ["v1", "sessions", session, "ports", port, ..] => (session, None, port, 5),
        ["v1", "sessions", session, "workspaces", workspace, "ports", port, ..] => {
            (session, Some(workspace), port, 7)
        }
        _ => return None,
    };
    let read = || {
        let port = port.parse().ok().filter(|port| *port != 0);
        let prefix_bytes = raw.match_indices('/').nth(count).map_or(raw.len(), |(at, _)| at);
        let (prefix, path) = raw.split_at(prefix_bytes);
        Ok(PathTarget {
            session: SessionId::parse(session)?,
            workspace: workspace
                .map(|id| SandboxId::parse(id).map(WorkspaceRef::new))
                .transpose()?,
            port: port.ok_or_else(|| Error::invalid("port", "must be 1 to 65535"))?,
            prefix: prefix.to_owned(),
            path: if path.is_empty() { "/".to_owned() } else { path.to_owned() },
        })
    };
    Some(read())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(raw: &str) -> Option<Result<PathTarget>> {
        let segments: Vec<String> =
            raw.split('/').skip(1).map(|word| word.replace("%3A", ":")).collect();
        path_target(raw, &segments)
    }

    #[test]
    fn a_path_names_a_server_and_the_rest_is_the_servers() {
        for (raw, prefix, path) in [
            ("/v1/sessions/a%3Ab/ports/80", "/v1/sessions/a%3Ab/ports/80", "/"),
            ("/v1/sessions/a%3Ab/ports/80/", "/v1/sessions/a%3Ab/ports/80", "/"),
            ("/v1/sessions/a:b/ports/80/x%2Fy//z/?", "/v1/sessions/a:b/ports/80", "/x%2Fy//z/?"),
        ] {
            let target = target(raw).unwrap().unwrap();
            assert_eq!((target.prefix.as_str(), target.path.as_str()), (prefix, path), "{raw}");
            assert_eq!((target.session.as_str(), target.port), ("a:b", 80), "{raw}");
            assert_eq!(target.workspace, None);
        }
        let raw = "/v1/sessions/s/workspaces/s-branch-0123abcd/ports/5173/a/ports/1";
        let fork = target(raw).unwrap().unwrap();
        assert_eq!(fork.workspace.unwrap().sandbox_id().as_str(), "s-branch-0123abcd");
        assert_eq!((fork.port, fork.path.as_str()), (5173, "/a/ports/1"));
    }

    #[test]
    fn what_is_no_port_is_refused_and_other_paths_are_others() {
        for raw in ["0", "65536", "-1", "http", "", "80 "] {
            let refused = target(&format!("/v1/sessions/s/ports/{raw}/"));
            assert!(refused.unwrap().is_err(), "{raw}");
        }
        assert!(target("/v1/sessions/s p/ports/80/").unwrap().is_err());
        for raw in [
            "/",
            "/v1/sessions/s/ports",
            "/v2/sessions/s/ports/80/",
            "/v1/sessions/s/files/ports/80",
        ] {
            assert!(target(raw).is_none(), "{raw}");
        }
    }
}
