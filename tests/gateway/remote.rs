//! Buckets of other services, behind the same gateway.

use super::{Bench, Read};
use crate::support::ports::TestClock;
use crate::support::service::ENDPOINT;
use crate::world::now;
use serde_json::json;
use snapshotter::domain::s3::remote::Remote;
use snapshotter::gateway::RemoteStore;
use snapshotter::ports::contract;
use std::rc::Rc;

const VALUES: [&str; 3] = ["AKIA123", "s3cr3t", "t0k3n"];

pub fn at_service() -> Remote {
    let [id, secret, token] = VALUES;
    serde_json::from_value(json!({
        "endpoint": ENDPOINT,
        "credentials": { "accessKeyId": id, "secretAccessKey": secret, "sessionToken": token },
    }))
    .unwrap()
}

fn filled() -> Bench {
    let bench = Bench::default();
    for bucket in ["far", "far-logs", "unmounted"] {
        let store = bench.service.bucket(bucket);
        for key in ["2024/in", "2024", "2025/out", "secret"] {
            store.objects.borrow_mut().insert(key.into(), (b"bytes".to_vec(), <_>::default()));
        }
    }
    bench
}

/// What was sent to the service last.
fn last(bench: &Bench) -> String {
    bench.service.requests.borrow().last().unwrap().0.clone()
}

#[test]
fn its_store_keeps_the_contract() {
    let bench = filled();
    let store = RemoteStore {
        services: Rc::new(bench.service.clone()),
        clock: Rc::new(TestClock::new()),
        remote: at_service(),
        bucket: "far".into(),
    };
    now(contract::objects(&store, "contract/")).unwrap();
}

#[test]
fn objects_come_and_go_with_their_metadata() {
    let bench = filled();
    let headers = [("content-type", "text/plain"), ("x-amz-meta-who", "me")];
    let put = bench.put("PUT /far/a%20b/c", &headers, b"0123456789");
    assert_eq!(put.status, 200);
    assert_eq!(last(&bench), "PUT /far/a%20b/c");
    let got = bench.send("GET /far/a%20b/c", &[("range", "bytes=2-4")], &[]);
    assert_eq!((got.status, got.text.as_str()), (206, "234"));
    assert_eq!(got.headers["content-range"], "bytes 2-4/10");
    assert_eq!(got.headers["x-amz-meta-who"], "me");
    assert_eq!(got.headers["etag"], put.headers["etag"]);
    let get = |headers: &[(&str, &str)]| bench.send("GET /far/a%20b/c", headers, &[]).status;
    assert_eq!(get(&[("range", "bytes=10-")]), 416);
    assert_eq!(get(&[("if-none-match", &put.headers["etag"])]), 304);
    assert_eq!(get(&[("if-match", "\"other\"")]), 412);
    assert_eq!(bench.put("PUT /far/a%20b/c", &[("if-none-match", "*")], b"x").status, 412);
    assert_eq!(bench.get("HEAD /far/a%20b/c").omitted, Some(10));
    assert_eq!(bench.get("HEAD /far/none").status, 404);
    assert_eq!(bench.get("GET /far/none").code(), "NoSuchKey");
    assert_eq!(bench.put("PUT /far/empty", &[], b"").status, 200);
    assert_eq!(bench.get("GET /far/empty").text, "");
    assert_eq!(bench.get("DELETE /far/empty").status, 204);
}

#[test]
fn a_wrong_digest_stores_nothing() {
    let bench = filled();
    let zeros = "0".repeat(64);
    for (name, wrong) in [
        ("x-amz-checksum-crc32", "AAAAAQ=="),
        ("content-md5", "AAAAAAAAAAAAAAAAAAAAAQ=="),
        ("x-amz-content-sha256", zeros.as_str()),
    ] {
        let put = bench.put("PUT /far/k", &[(name, wrong)], b"hello");
        assert_eq!((put.status, put.code()), (400, "BadDigest"), "{name}");
    }
    assert!(!bench.service.bucket("far").keys().contains(&"k".to_owned()));
}

#[test]
fn the_session_is_held_to_its_buckets_and_prefixes() {
    let bench = filled();
    let refused = |read: &Read| (read.status >= 400).then(|| read.code().to_owned());
    let code = |request: &str| refused(&bench.get(request));
    let denied = Some("AccessDenied".to_owned());
    assert_eq!(code("GET /far-logs/2024/in"), None);
    for request in [
        "GET /far-logs/secret",
        "GET /far-logs/2024",
        "GET /far-logs?list-type=2",
        "GET /far-logs?list-type=2&prefix=2025/",
        "PUT /far-logs/2024/new",
        "DELETE /far-logs/2024/in",
    ] {
        assert_eq!(code(request), denied, "{request}");
    }
    assert_eq!(code("GET /unmounted/secret").as_deref(), Some("NoSuchBucket"));
    let list = bench.get("GET /far-logs?list-type=2&prefix=2024/");
    assert!(list.text.contains("<Key>2024/in</Key>") && !list.text.contains("secret"));
    assert!(last(&bench).contains("&prefix=2024%2F"));
    let body =
        "<Delete><Object><Key>2024/in</Key></Object><Object><Key>secret</Key></Object></Delete>";
    let deleted = bench.put("POST /far-logs?delete", &[], body.as_bytes());
    assert!(!deleted.text.contains("<Deleted>"), "{}", deleted.text);
    let from = [("x-amz-copy-source", "/far-logs/2024/in")];
    assert_eq!(bench.send("PUT /DATA/k", &from, &[]).status, 200);
    assert_eq!(bench.get("GET /DATA/k").text, "bytes");
    assert_eq!(bench.service.bucket("far-logs").keys().len(), 4);
    let buckets = bench.get("GET /");
    assert!(buckets.text.contains("<Name>far</Name>") && !buckets.text.contains("unmounted"));
}

/// A service that keeps files may follow such segments, out of the prefix or of the bucket.
#[test]
fn no_segment_that_leads_elsewhere_reaches_the_service() {
    let bench = filled();
    bench.service.bucket("far-own");
    let refused = |read: &Read, what: &str| {
        assert_eq!((read.status, read.code()), (400, "InvalidArgument"), "{what}");
    };
    for key in ["own/../secret", "own/./x", "own/a/..", "own/.", "own/.."] {
        for bucket in ["far", "far-own"] {
            let list = |query: &str| bench.get(&format!("GET /{bucket}?list-type=2&{query}"));
            refused(&list(&format!("prefix={key}")), key);
            refused(&list(&format!("prefix=own%2F&start-after={key}")), key);
            let encoded = key.replace('/', "%2F");
            for method in ["GET", "PUT", "DELETE"] {
                refused(&bench.put(&format!("{method} /{bucket}/{encoded}"), &[], b""), key);
            }
            refused(&bench.get(&format!("POST /{bucket}/{encoded}?uploads")), key);
            let from = format!("/{bucket}/{key}");
            refused(&bench.send("PUT /DATA/k", &[("x-amz-copy-source", &from)], &[]), key);
            let body = format!(
                "<Delete><Object><Key>{key}</Key></Object><Object><Key>{key}/x</Key></Object></Delete>"
            );
            let deleted = bench.put(&format!("POST /{bucket}?delete"), &[], body.as_bytes());
            assert_eq!(deleted.text.matches("<Code>InvalidArgument</Code>").count(), 2, "{key}");
        }
    }
    assert!(bench.service.requests.borrow().is_empty());
    let body = "<Delete><Object><Key>own/../secret</Key></Object><Object><Key>own/.a</Key></Object><Object><Key>own/..b</Key></Object></Delete>";
    let deleted = bench.put("POST /far-own?delete", &[], body.as_bytes());
    assert!(deleted.text.contains("<Deleted><Key>own/.a</Key></Deleted><Deleted>"), "{deleted:?}");
    // R2 takes keys as they are.
    assert_eq!(bench.put("PUT /DATA/a%2F..%2Fk", &[], b"x").status, 200);
    assert_eq!(bench.data.keys(), ["a/../k"]);
}

#[test]
fn parts_and_many_keys() {
    let bench = filled();
    let id = bench.get("POST /far/k?uploads").element("UploadId").to_owned();
    let part = bench.put(&format!("PUT /far/k?partNumber=1&uploadId={id}"), &[], b"hello");
    let body = format!(
        "<CompleteMultipartUpload><Part><ETag>{}</ETag><PartNumber>1</PartNumber></Part></CompleteMultipartUpload>",
        part.headers["etag"]
    );
    let done = bench.put(&format!("POST /far/k?uploadId={id}"), &[], body.as_bytes());
    assert_eq!((done.status, bench.get("GET /far/k").text.as_str()), (200, "hello"));
    let body = "<Delete><Object><Key>k</Key></Object><Object><Key>2024</Key></Object></Delete>";
    let deleted = bench.put("POST /far?delete", &[], body.as_bytes());
    assert!(deleted.text.contains("<Deleted><Key>k</Key></Deleted>"), "{}", deleted.text);
    assert_eq!(bench.service.bucket("far").keys(), ["2024/in", "2025/out", "secret"]);
}

#[test]
fn answers_that_are_wrong_or_tell_too_much_are_not_passed_on() {
    let bench = filled();
    let header = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let next = |status, headers: &[(String, String)], text: &str| {
        let headers = headers.iter().cloned().collect();
        bench.service.next.replace(Some((status, headers, text.to_owned())));
    };
    let told = "<Error><Code>SignatureDoesNotMatch</Code><Message>AKIA123</Message><StringToSign>s3cr3t t0k3n</StringToSign></Error>";
    next(403, &[header("x-amz-id-2", "AKIA123")], told);
    let refused = bench.get("GET /far/k");
    assert_eq!((refused.status, refused.code()), (403, "AccessDenied"));
    assert!(refused.text.contains("refuses the session's credentials"), "{}", refused.text);
    assert!(!VALUES.iter().any(|it| format!("{refused:?}").contains(it)), "{refused:?}");
    // A redirect is not followed.
    next(307, &[header("location", "https://evil.example.com/")], "");
    assert_eq!(bench.get("GET /far/k").code(), "InvalidRequest");
    assert_eq!(bench.service.requests.borrow().len(), 2);
    // Another part than the one that was asked for.
    next(200, &[header("content-length", "5")], "bytes");
    let range = [("range", "bytes=1-2")];
    assert_eq!(bench.send("GET /far/k", &range, &[]).code(), "InternalError");
    let range_of = header("content-range", "bytes 0-1/5");
    next(206, &[range_of, header("content-length", "2")], "by");
    assert_eq!(bench.send("GET /far/k", &range, &[]).code(), "InternalError");
    next(200, &[], "bytes");
    assert_eq!(bench.get("GET /far/k").code(), "InternalError");
    next(200, &[], "<html></html>");
    assert_eq!(bench.get("GET /far?list-type=2").code(), "InternalError");
    let foreign = "<ListBucketResult><Contents><Key>secret</Key></Contents><CommonPrefixes><Prefix>2025/</Prefix></CommonPrefixes></ListBucketResult>";
    next(200, &[], foreign);
    let list = bench.get("GET /far-logs?list-type=2&prefix=2024/");
    assert_eq!(list.element("KeyCount"), "0");
    next(200, &[header("set-cookie", "a=b"), header("content-length", "2")], "ok");
    let got = bench.get("GET /far/k");
    assert!(got.text == "ok" && !got.headers.contains_key("set-cookie"));
}

#[test]
fn no_credential_is_in_what_a_container_gets_or_the_log_has() {
    let bench = filled();
    let answers = [
        bench.get("GET /"),
        bench.get("GET /far/2024/in"),
        bench.get("HEAD /far/2024/in"),
        bench.get("GET /far?list-type=2"),
        bench.put("PUT /far/new", &[], b"x"),
        bench.get("GET /far/none"),
        bench.get("POST /far/up?uploads"),
    ];
    let shown = format!("{answers:?} {:?}", bench.log.0.borrow());
    assert!(!VALUES.iter().any(|it| shown.contains(it)), "{shown}");
    let requests = format!("{:?}", bench.service.requests.borrow());
    // The service itself gets the id and the token, as the protocol says, and never the secret.
    assert!(requests.contains("AKIA123") && requests.contains("t0k3n"));
    assert!(!requests.contains("s3cr3t"));
}
