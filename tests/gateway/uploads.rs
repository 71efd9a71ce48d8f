//! Uploads in parts.

use super::Bench;

#[test]
fn parts_become_an_object() {
    let bench = Bench::default();
    let begun = bench.send("POST /DATA/k?uploads", &[("x-amz-meta-a", "1")], &[]);
    let id = begun.element("UploadId").to_owned();
    let part = |number: u16, body: &[u8]| {
        bench.put(&format!("PUT /DATA/k?partNumber={number}&uploadId={id}"), &[], body)
    };
    let (one, two) = (part(1, b"hello "), part(2, b"world"));
    let complete = |parts: &[(u16, &str)]| {
        let parts: String = parts
            .iter()
            .map(|(n, etag)| {
                format!("<Part><ETag>{etag}</ETag><PartNumber>{n}</PartNumber></Part>")
            })
            .collect();
        let body = format!("<CompleteMultipartUpload>{parts}</CompleteMultipartUpload>");
        bench.put(&format!("POST /DATA/k?uploadId={id}"), &[], body.as_bytes())
    };
    let (one, two) = (one.headers["etag"].as_str(), two.headers["etag"].as_str());
    assert_eq!(complete(&[(1, one), (2, one)]).code(), "InvalidPart");
    assert_eq!(complete(&[(2, two), (1, one)]).code(), "InvalidPartOrder");
    let done = complete(&[(1, one), (2, two)]);
    assert_eq!(done.status, 200, "{}", done.text);
    let got = bench.get("GET /DATA/k");
    assert_eq!((got.text.as_str(), got.headers["x-amz-meta-a"].as_str()), ("hello world", "1"));
    assert_eq!(complete(&[(1, one)]).code(), "NoSuchUpload");
}

#[test]
fn a_part_is_checked_and_an_upload_dropped() {
    let bench = Bench::default();
    let id = bench.get("POST /DATA/k?uploads").element("UploadId").to_owned();
    let address = format!("PUT /DATA/k?partNumber=1&uploadId={id}");
    let wrong = bench.put(&address, &[("content-md5", "AAAAAAAAAAAAAAAAAAAAAA==")], b"hello");
    assert_eq!(wrong.code(), "BadDigest");
    assert!(bench.data.uploads.borrow().values().all(|(_, parts)| parts.is_empty()));
    bench.put("PUT /DATA/from", &[], b"0123456789");
    let source = [("x-amz-copy-source", "DATA/from"), ("x-amz-copy-source-range", "bytes=2-4")];
    assert_eq!(bench.send(&address, &source, &[]).status, 200);
    assert_eq!(bench.get(&format!("DELETE /DATA/k?uploadId={id}")).status, 204);
    assert_eq!(bench.get(&format!("DELETE /DATA/k?uploadId={id}")).status, 204);
    assert_eq!(bench.put(&address, &[], b"x").code(), "NoSuchUpload");
    // R2's binding can list neither.
    assert_eq!(bench.get("GET /DATA?uploads").code(), "NotImplemented");
    assert_eq!(bench.get("GET /DATA/k?uploadId=u").code(), "NotImplemented");
}
