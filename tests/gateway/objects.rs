//! Objects are written, read, listed, copied and deleted.

use super::Bench;

#[test]
fn an_object_comes_back_with_its_metadata() {
    let bench = Bench::default();
    let headers = [("content-type", "text/plain"), ("x-amz-meta-who", "me")];
    let put = bench.put("PUT /DATA/a/b%20c", &headers, b"hello world");
    assert_eq!(put.status, 200);
    let got = bench.get("GET /DATA/a/b%20c");
    assert_eq!((got.status, got.text.as_str()), (200, "hello world"));
    assert_eq!(got.headers["content-type"], "text/plain");
    assert_eq!(got.headers["x-amz-meta-who"], "me");
    assert_eq!(got.headers["etag"], put.headers["etag"]);
    assert!(got.headers["etag"].starts_with('"'));
    let head = bench.get("HEAD /DATA/a/b%20c");
    assert_eq!((head.status, head.text.as_str(), head.omitted), (200, "", Some(11)));
    let missing = bench.get("GET /DATA/none");
    assert_eq!((missing.status, missing.code()), (404, "NoSuchKey"));
    let missing = bench.get("HEAD /DATA/none");
    assert_eq!((missing.status, missing.text.as_str()), (404, ""));
}

#[test]
fn parts_and_conditions() {
    let bench = Bench::default();
    let etag = bench.put("PUT /DATA/k", &[], b"0123456789").headers["etag"].clone();
    let get = |headers: &[(&str, &str)]| bench.send("GET /DATA/k", headers, &[]);
    let part = get(&[("range", "bytes=2-4")]);
    assert_eq!((part.status, part.text.as_str()), (206, "234"));
    assert_eq!(part.headers["content-range"], "bytes 2-4/10");
    assert_eq!(get(&[("range", "bytes=-2")]).text, "89");
    assert_eq!(get(&[("range", "bytes=8-")]).text, "89");
    assert_eq!(get(&[("range", "bytes=10-")]).status, 416);
    assert_eq!(get(&[("range", "bytes=0-1,4-5")]).text, "0123456789");
    assert_eq!(get(&[("if-none-match", &etag)]).status, 304);
    assert_eq!(get(&[("if-match", "\"other\"")]).status, 412);
    assert_eq!(get(&[("if-match", &etag)]).status, 200);
    let create = |body: &[u8]| bench.put("PUT /DATA/new", &[("if-none-match", "*")], body).status;
    assert_eq!((create(b"1"), create(b"2")), (200, 412));
    assert_eq!(bench.get("GET /DATA/new").text, "1");
}

#[test]
fn a_wrong_digest_stores_nothing() {
    let bench = Bench::default();
    let zeros = "0".repeat(64);
    for (name, wrong) in [
        ("x-amz-checksum-crc32", "AAAAAQ=="),
        ("content-md5", "AAAAAAAAAAAAAAAAAAAAAQ=="),
        ("x-amz-content-sha256", zeros.as_str()),
    ] {
        let put = bench.put("PUT /DATA/k", &[(name, wrong)], b"hello");
        assert_eq!((put.status, put.code()), (400, "BadDigest"), "{name}");
        let empty = bench.put("PUT /DATA/k", &[(name, wrong), ("content-length", "0")], b"");
        assert_eq!((empty.status, empty.code()), (400, "BadDigest"), "{name}");
    }
    let short = bench.send("PUT /DATA/k", &[("content-length", "9")], &[b"hello"]);
    assert!(short.status >= 400);
    assert_eq!(bench.send("PUT /DATA/k", &[("content-length", "9")], &[]).status, 400);
    assert_eq!(bench.send("PUT /DATA/k", &[], &[b"hello"]).status, 411);
    assert!(bench.data.keys().is_empty());
    assert_eq!(
        bench.put("PUT /DATA/k", &[("x-amz-checksum-crc32", "NhCmhg==")], b"hello").status,
        200
    );
}

#[test]
fn a_framed_body_is_stored_without_its_frame() {
    let bench = Bench::default();
    let headers = [
        ("x-amz-content-sha256", "STREAMING-UNSIGNED-PAYLOAD-TRAILER"),
        ("content-encoding", "aws-chunked"),
        ("x-amz-decoded-content-length", "5"),
        ("x-amz-trailer", "x-amz-checksum-crc32"),
    ];
    let frame =
        |crc: &str| format!("3\r\nhel\r\n2\r\nlo\r\n0\r\nx-amz-checksum-crc32:{crc}\r\n\r\n");
    let wrong = bench.put("PUT /DATA/k", &headers, frame("AAAAAA==").as_bytes());
    assert_eq!(wrong.code(), "BadDigest");
    assert!(bench.data.keys().is_empty());
    assert_eq!(bench.put("PUT /DATA/k", &headers, frame("NhCmhg==").as_bytes()).status, 200);
    let got = bench.get("GET /DATA/k");
    assert_eq!(got.text, "hello");
    assert!(!got.headers.contains_key("content-encoding"));
}

#[test]
fn lists_come_in_pages() {
    let bench = Bench::default();
    for key in ["a", "b/1", "b/2", "c/1", "d", "e"] {
        bench.put(&format!("PUT /DATA/{key}"), &[], b"x");
    }
    let first = bench.get("GET /DATA?list-type=2&delimiter=%2F&max-keys=2");
    assert_eq!(first.element("KeyCount"), "2");
    assert!(first.text.contains("<CommonPrefixes><Prefix>b/</Prefix></CommonPrefixes>"));
    let token = first.element("NextContinuationToken");
    let rest =
        bench.get(&format!("GET /DATA?list-type=2&delimiter=%2F&continuation-token={token}"));
    assert_eq!((rest.element("KeyCount"), rest.element("IsTruncated")), ("3", "false"));
    // The first version goes on after a common prefix.
    let marker = bench.get("GET /DATA?delimiter=%2F&max-keys=2");
    let marker = marker.element("NextMarker");
    assert_eq!(marker, "b/");
    let rest = bench.get(&format!("GET /DATA?delimiter=%2F&marker={marker}"));
    assert!(
        !rest.text.contains("<Prefix>b/</Prefix>") && rest.text.contains("<Prefix>c/</Prefix>")
    );
    let none = bench.get("GET /DATA?list-type=2&max-keys=0");
    assert_eq!((none.element("KeyCount"), none.element("IsTruncated")), ("0", "false"));
}

#[test]
fn copies_keep_or_replace_metadata() {
    let bench = Bench::default();
    bench.put("PUT /DATA/from", &[("x-amz-meta-a", "1")], b"hello");
    let copy = |to: &str, headers: &[(&str, &str)]| {
        let headers = [[("x-amz-copy-source", "/DATA/from")].as_slice(), headers].concat();
        bench.send(&format!("PUT /DATA/{to}"), &headers, &[])
    };
    assert_eq!(copy("kept", &[]).status, 200);
    let kept = bench.get("GET /DATA/kept");
    assert_eq!((kept.text.as_str(), kept.headers["x-amz-meta-a"].as_str()), ("hello", "1"));
    let replace = [("x-amz-metadata-directive", "REPLACE"), ("x-amz-meta-b", "2")];
    assert_eq!(copy("from", &replace).status, 200);
    let replaced = bench.get("GET /DATA/from").headers;
    assert!(!replaced.contains_key("x-amz-meta-a") && replaced["x-amz-meta-b"] == "2");
    assert_eq!(copy("from", &[]).code(), "InvalidRequest");
    assert_eq!(
        copy("x", &[("x-amz-copy-source-if-match", "\"other\"")]).code(),
        "PreconditionFailed"
    );
    assert_eq!(copy("x", &[("x-amz-copy-source-if-none-match", "*")]).code(), "PreconditionFailed");
    let source = [("x-amz-copy-source", "/DATA/none")];
    assert_eq!(bench.send("PUT /DATA/x", &source, &[]).code(), "NoSuchKey");
}

#[test]
fn a_header_in_the_address_is_not_passed_over() {
    let bench = Bench::default();
    bench.put("PUT /DATA/from", &[], b"hello");
    for header in ["x-amz-copy-source=DATA%2Ffrom", "x-amz-meta-a=1"] {
        let put = bench.put(&format!("PUT /DATA/k?X-Amz-Signature=1&{header}"), &[], b"");
        assert_eq!((put.status, put.code()), (501, "NotImplemented"), "{header}");
    }
    assert_eq!(bench.data.keys(), ["from"]);
    assert_eq!(bench.put("PUT /DATA/k?X-Amz-Signature=1&x-id=PutObject", &[], b"x").status, 200);
}

#[test]
fn objects_are_deleted_alone_and_together() {
    let bench = Bench::default();
    for key in ["a", "b", "c"] {
        bench.put(&format!("PUT /DATA/{key}"), &[], b"x");
    }
    assert_eq!(bench.get("DELETE /DATA/a").status, 204);
    assert_eq!(bench.get("DELETE /DATA/a").status, 204);
    let body = b"<Delete><Object><Key>b</Key></Object><Object><Key>none</Key></Object></Delete>";
    let deleted = bench.put("POST /DATA?delete", &[], body);
    assert!(deleted.text.contains("<Deleted><Key>b</Key></Deleted>"), "{}", deleted.text);
    assert_eq!(bench.data.keys(), ["c"]);
    assert_eq!(bench.put("POST /DATA?delete", &[], b"<Delete>").code(), "MalformedXML");
}

#[test]
fn nothing_is_deleted_on_a_condition() {
    let bench = Bench::default();
    let body = b"<Delete><Object><Key>k</Key></Object></Delete>";
    bench.service.bucket("far");
    let id = bench.get("POST /DATA/k?uploads").element("UploadId").to_owned();
    for bucket in ["DATA", "far"] {
        let etag = bench.put(&format!("PUT /{bucket}/k"), &[], b"x").headers["etag"].clone();
        for (name, value) in [
            ("if-match", "\"other\""),
            ("If-Match", etag.as_str()),
            ("if-none-match", "*"),
            ("if-unmodified-since", "Fri, 15 Jan 2027 08:00:00 GMT"),
            ("if-modified-since", "yesterday"),
            ("x-amz-if-match-size", "1"),
            ("x-amz-if-match-last-modified-time", "Fri, 15 Jan 2027 08:00:00 GMT"),
            ("x-amz-if-match-initiated-time", "Fri, 15 Jan 2027 08:00:00 GMT"),
        ] {
            for request in ["DELETE /B/k", "POST /B?delete", &format!("DELETE /B/k?uploadId={id}")]
            {
                let request = request.replace("/B", &format!("/{bucket}"));
                let refused = bench.put(&request, &[(name, value)], body);
                assert_eq!((refused.status, refused.code()), (501, "NotImplemented"), "{request}");
                assert!(refused.element("Message").contains(&name.to_lowercase()), "{refused:?}");
            }
        }
        assert_eq!(bench.get(&format!("GET /{bucket}/k")).text, "x");
    }
    assert_eq!(bench.data.uploads.borrow().len(), 1);
}
