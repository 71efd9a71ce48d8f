//! No request leaves the session's buckets and prefixes, whatever it says.

use super::Bench;
use crate::support::objects::MemoryStore;
use crate::world::now;
use serde_json::json;
use snapshotter::ports::contract;

fn filled() -> Bench {
    let bench = Bench::default();
    for key in ["2024/in", "2024", "2025/out", "secret"] {
        bench.logs.objects.borrow_mut().insert(key.into(), (b"bytes".to_vec(), <_>::default()));
    }
    bench
}

#[test]
fn only_the_sessions_buckets_are_listed_and_reached() {
    let bench = filled();
    let all = bench.get("GET /").text;
    assert!(all.contains("<Name>DATA</Name>") && all.contains("<Name>LOGS</Name>"));
    assert!(!all.contains("UNMOUNTED"));
    for request in
        ["GET /UNMOUNTED/k", "PUT /UNMOUNTED/k", "GET /UNMOUNTED", "GET /none", "GET /data/k"]
    {
        assert_eq!(bench.get(request).code(), "NoSuchBucket", "{request}");
    }
    assert_eq!(bench.get("HEAD /UNMOUNTED").status, 404);
    assert_eq!(bench.get("HEAD /DATA").status, 200);
    assert_eq!(bench.get("PUT /DATA").code(), "BucketAlreadyOwnedByYou");
    assert_eq!(bench.get("PUT /UNMOUNTED").code(), "AccessDenied");
    assert_eq!(bench.get("DELETE /DATA").code(), "AccessDenied");
}

#[test]
fn keys_outside_a_prefix_are_denied_by_every_operation() {
    let bench = filled();
    assert_eq!(bench.get("GET /LOGS/2024/in").text, "bytes");
    for key in ["2024", "2025/out", "secret", "2024%2F..%2Fsecret", "none"] {
        let denied = bench.get(&format!("GET /LOGS/{key}"));
        // A key has no segments: this one lies below the prefix, and there is no such object.
        let expected = if key.contains("..") { "NoSuchKey" } else { "AccessDenied" };
        assert_eq!(denied.code(), expected, "{key}");
    }
    assert_eq!(bench.get("HEAD /LOGS/secret").status, 403);
    for query in ["", "prefix=", "prefix=2024", "prefix=2025%2F", "prefix=s", "delimiter=%2F"] {
        assert_eq!(
            bench.get(&format!("GET /LOGS?list-type=2&{query}")).code(),
            "AccessDenied",
            "{query}"
        );
    }
    let list = bench.get("GET /LOGS?list-type=2&prefix=2024%2F&start-after=1&continuation-token=0");
    assert_eq!(list.element("KeyCount"), "1");
    assert!(!list.text.contains("out") && !list.text.contains("secret"));
    // A copy reads, too.
    let copy = |from: &str| bench.send("PUT /DATA/k", &[("x-amz-copy-source", from)], &[]);
    assert_eq!(copy("/LOGS/secret").code(), "AccessDenied");
    assert_eq!(copy("/UNMOUNTED/k").code(), "NoSuchBucket");
    assert_eq!(copy("/LOGS/2024/in").status, 200);
    assert_eq!(bench.get("GET /DATA/k").text, "bytes");
}

#[test]
fn nothing_is_written_to_a_read_only_bucket() {
    let bench = filled();
    let before = bench.logs.keys();
    for request in [
        "PUT /LOGS/2024/new",
        "DELETE /LOGS/2024/in",
        "POST /LOGS/2024/new?uploads",
        "PUT /LOGS/2024/new?partNumber=1&uploadId=u",
        "POST /LOGS/2024/new?uploadId=u",
        "DELETE /LOGS/2024/new?uploadId=u",
    ] {
        assert_eq!(bench.put(request, &[], b"x").code(), "AccessDenied", "{request}");
    }
    let copy = [("x-amz-copy-source", "/LOGS/2024/in")];
    assert_eq!(bench.send("PUT /LOGS/2024/new", &copy, &[]).code(), "AccessDenied");
    let part = "PUT /LOGS/2024/new?partNumber=1&uploadId=u";
    assert_eq!(bench.send(part, &copy, &[]).code(), "AccessDenied");
    let body =
        b"<Delete><Object><Key>2024/in</Key></Object><Object><Key>secret</Key></Object></Delete>";
    let deleted = bench.put("POST /LOGS?delete", &[], body);
    assert_eq!(deleted.text.matches("<Code>AccessDenied</Code>").count(), 2);
    assert_eq!(bench.logs.keys(), before);
}

/// A client names an owner so that a bucket of another account refuses.
#[test]
fn what_is_about_other_accounts_is_refused() {
    let bench = filled();
    for (name, value) in [
        ("x-amz-expected-bucket-owner", "111122223333"),
        ("x-amz-source-expected-bucket-owner", "111122223333"),
        ("x-amz-grant-read", "id=1"),
        ("x-amz-acl", "public-read"),
    ] {
        for request in ["GET /LOGS/2024/in", "PUT /DATA/k", "DELETE /DATA/k", "GET /DATA"] {
            let refused = bench.put(request, &[(name, value)], b"x");
            assert_eq!(refused.code(), "NotImplemented", "{request}");
        }
    }
    assert!(bench.data.keys().is_empty());
    bench.put("PUT /DATA/k", &[("x-amz-acl", "private")], b"x");
    assert_eq!(bench.data.keys(), ["k"]);
}

#[test]
fn the_log_says_what_was_done_and_no_key() {
    let bench = filled();
    bench.get("GET /LOGS/secret");
    bench.get("GET /LOGS/2024/in");
    let lines = bench.log.0.borrow();
    let shown = |at: usize| {
        json!([
            lines[at].fields["operation"],
            lines[at].fields["status"],
            lines[at].fields["sandboxId"]
        ])
    };
    assert_eq!(shown(0), json!(["GetObject", 403, "sandbox"]));
    assert_eq!(shown(1), json!(["GetObject", 200, "sandbox"]));
    assert!(!serde_json::to_string(&*lines).unwrap().contains("secret"));
}

#[test]
fn the_fake_keeps_the_contract() {
    now(contract::objects(&MemoryStore::default(), "contract/")).unwrap();
}
