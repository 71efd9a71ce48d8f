//! The cookie that a preview's link sets for the preview's host.

/// The cookie's name. Its prefix makes browsers refuse a cookie that another host set, or that
/// lacks `Secure`.
const NAME: &str = "__Host-snapshotter-preview";

/// The value of `Set-Cookie` for a link's signed claims. Requests from other sites don't carry the
/// cookie, except when a person follows a link. In a frame of another site, browsers store it
/// separately, and only if it is `Partitioned`.
#[must_use]
pub fn link_cookie(signed: &str, lasts_ms: i64, is_embeddable: bool) -> String {
    let seconds = lasts_ms / 1_000;
    let sent = if is_embeddable { "SameSite=None; Partitioned" } else { "SameSite=Lax" };
    format!("{NAME}={signed}; Path=/; Max-Age={seconds}; Secure; HttpOnly; {sent}")
}

/// The values of our cookie in a header `Cookie`. There may be several: one of a frame, one of the
/// page, and one that a page of another host has set.
pub fn own_cookies(header: &str) -> impl Iterator<Item = &str> {
    let named = |pair: &'_ str| pair.split_once('=').is_some_and(|(name, _)| name == NAME);
    pairs(header).filter(move |pair| named(pair)).filter_map(|pair| Some(pair.split_once('=')?.1))
}

/// A header `Cookie` without our cookie. None if nothing is left.
pub(super) fn without_own(header: &str) -> Option<String> {
    let others: Vec<&str> = pairs(header).filter(|pair| !is_own(pair)).collect();
    (!others.is_empty()).then(|| others.join("; "))
}

/// Whether a server may set this cookie: it is not ours, and the browser sends it to no other host.
pub(super) fn may_be_set(header: &str) -> bool {
    let mut parts = header.split(';').map(str::trim);
    let is_own = parts.next().is_none_or(is_own);
    let has_domain = parts.any(|attribute| {
        let name = attribute.split('=').next().unwrap_or_default();
        name.trim().eq_ignore_ascii_case("domain")
    });
    !is_own && !has_domain
}

fn pairs(header: &str) -> impl Iterator<Item = &str> {
    header.split(';').map(str::trim).filter(|pair| !pair.is_empty())
}

fn is_own(pair: &str) -> bool {
    pair.split('=').next().unwrap_or_default().trim().eq_ignore_ascii_case(NAME)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_cookie_is_read_and_kept_from_the_server() {
        let set = link_cookie("spv1.k.c.m", 5_999, false);
        assert_eq!(
            set,
            "__Host-snapshotter-preview=spv1.k.c.m; Path=/; Max-Age=5; Secure; HttpOnly; SameSite=Lax"
        );
        let set = link_cookie("spv1.k.c.m", 5_999, true);
        assert!(set.ends_with("; Secure; HttpOnly; SameSite=None; Partitioned"), "{set}");
        let header = "a=1; __Host-snapshotter-preview=spv1.k.c.m;b=2=3 ;  ";
        assert_eq!(own_cookies(header).collect::<Vec<_>>(), ["spv1.k.c.m"]);
        let several = "__Host-snapshotter-preview=a; b=1; __Host-snapshotter-preview=c=d";
        assert_eq!(own_cookies(several).collect::<Vec<_>>(), ["a", "c=d"]);
        assert_eq!(without_own(header).as_deref(), Some("a=1; b=2=3"));
        assert_eq!(without_own("__host-SNAPSHOTTER-preview = x"), None);
        assert_eq!(without_own(" ; "), None);
        assert_eq!(own_cookies("x__Host-snapshotter-preview=1; y").next(), None);
    }

    #[test]
    fn a_server_sets_cookies_of_its_own_host_only() {
        assert!(may_be_set("sid=1; Path=/; HttpOnly"));
        assert!(may_be_set("domain=1"));
        for refused in [
            "sid=1; Domain=example.com",
            "sid=1;DOMAIN = .example.com",
            "sid=1; domain",
            "__Host-snapshotter-preview=1; Path=/; Secure",
            "__HOST-snapshotter-preview =1",
        ] {
            assert!(!may_be_set(refused), "{refused}");
        }
    }
}
