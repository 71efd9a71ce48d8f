//! The console: a page, and the files that it loads. It is public, because it is the same for
//! everyone: the page asks for a token, and sends it with each call, like any client.
//!
//! `tools/console.ts` builds the files into one directory. All files except the page have a hash of
//! their content in their names.

use crate::api::http::Answer;
use crate::api::operation::Verb;

const PAGE: &str = "index.html";

/// What the page may do: load files of this origin, call it, and show images that it has loaded.
/// Inline scripts and styles, other hosts, and frames around the page are forbidden.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

/// The requested file, if the path belongs to the console.
#[must_use]
pub fn console_file<'a>(method: &str, path: &'a str) -> Option<Result<&'a str, Answer>> {
    let rest = path.strip_prefix("/console")?;
    let name = match rest.strip_prefix('/') {
        None if !rest.is_empty() => return None,
        None | Some("") => PAGE,
        Some(name) => name,
    };
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    Some(if !name.chars().all(is_plain) {
        Err(Answer::no_route())
    } else if method != Verb::Get.as_str() {
        Err(Answer::other_methods(&[Verb::Get]))
    } else {
        Ok(name)
    })
}

/// Headers of the console's files.
#[must_use]
pub fn console_headers(file: &str) -> [(&'static str, &'static str); 6] {
    let lifetime = match file {
        PAGE => "no-cache",
        _ => "public, max-age=31536000, immutable",
    };
    [
        ("cache-control", lifetime),
        ("content-security-policy", POLICY),
        ("cross-origin-opener-policy", "same-origin"),
        ("cross-origin-resource-policy", "same-origin"),
        ("referrer-policy", "no-referrer"),
        ("x-content-type-options", "nosniff"),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_files_are_looked_up() {
        for page in ["/console", "/console/", "/console/index.html"] {
            assert_eq!(console_file("GET", page), Some(Ok(PAGE)), "{page}");
        }
        assert_eq!(console_file("GET", "/console/app-AB12.js"), Some(Ok("app-AB12.js")));
        for strange in ["a/b", "..%2fopenapi.json", "%2e%2e", "a%00", "a b", "ä.js", "/"] {
            let answer = console_file("GET", &format!("/console/{strange}")).unwrap().unwrap_err();
            assert_eq!(answer.status, 404, "{strange}");
        }
        assert_eq!(console_file("POST", "/console").unwrap().unwrap_err().status, 405);
        for other in ["/", "/consoles", "/console.js", "/v1/console", "/Console"] {
            assert_eq!(console_file("GET", other), None, "{other}");
        }
    }

    #[test]
    fn the_policy_allows_nothing_unsafe_and_no_other_host() {
        for word in ["unsafe", "http", "data:", "*"] {
            assert!(!POLICY.contains(word), "{word}");
        }
        assert!(POLICY.starts_with("default-src 'none'"));
    }
}
