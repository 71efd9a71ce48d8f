//! What is read and written whole has room in the isolate, whatever a request says.

use super::Bench;
use crate::memory::peak_bytes;
use crate::support::objects::MemoryStore;
use crate::support::ports::TestClock;
use crate::support::stream::MemoryBytes;
use crate::world::now;
use snapshotter::domain::limits::BUDGET_BUCKETS_BYTES;
use snapshotter::domain::s3::RequestHead;
use snapshotter::ports::stream::Bytes;

const MIB: usize = 1024 * 1024;
/// Room for a whole list.
const LIST_BYTES: u64 = 1_000 * 4 * 1024;

/// Whether a request is let in while so many bytes are free.
fn enters(free_bytes: u64, request: &str, headers: &[(&str, &str)]) -> bool {
    let bench = Bench::default();
    bench.service.bucket("far");
    let others = BUDGET_BUCKETS_BYTES - free_bytes;
    let _held = now(bench.memory.hold_within(others, &TestClock::new(), 0)).unwrap();
    let answer = bench.send(request, headers, &[b"x"]);
    !answer.text.contains("<Code>SlowDown</Code>")
}

#[test]
fn what_is_read_counts_and_not_what_a_header_says() {
    let long = ("content-length", "3145728");
    let lie = ("x-amz-decoded-content-length", "1");
    let framed = [
        ("x-amz-content-sha256", "STREAMING-UNSIGNED-PAYLOAD-TRAILER"),
        ("x-amz-decoded-content-length", "3145728"),
        ("content-length", "1"),
    ];
    let (delete, complete) = ("POST /DATA?delete", "POST /DATA/k?uploadId=u");
    for (request, headers, needed_bytes) in [
        (delete, &[long][..], 3_145_728 + LIST_BYTES),
        (delete, &[long, lie], 3_145_728 + LIST_BYTES),
        (delete, &framed, 3_145_728 + LIST_BYTES),
        (complete, &[long], 3_145_728),
        (complete, &[long, lie], 3_145_728),
        (complete, &framed, 3_145_728),
        ("GET /DATA?list-type=2", &[], LIST_BYTES),
        ("GET /DATA", &[lie], LIST_BYTES),
        ("GET /far?list-type=2&max-keys=2000", &[], LIST_BYTES),
        ("GET /DATA?list-type=2&max-keys=100", &[], LIST_BYTES / 10),
    ] {
        assert!(enters(needed_bytes, request, headers), "{request} {headers:?}");
        assert!(!enters(needed_bytes - 1, request, headers), "{request} {headers:?}");
    }
    // These pass in pieces, are short, or are refused unread.
    for request in ["PUT /DATA/k", "POST /DATA/k?uploads", "GET /DATA/k", "GET /DATA?max-keys=16"] {
        assert!(enters(0, request, &[long]), "{request}");
    }
    assert!(enters(0, complete, &[("content-length", "3145729")]));
    assert!(enters(0, complete, &[lie]));
}

#[test]
fn room_is_free_again_after_the_answer() {
    let bench = Bench::default();
    for _ in 0..10 {
        assert_eq!(bench.get("GET /DATA").status, 200);
        assert_eq!(bench.put("POST /DATA?delete", &[], b"<Delete>").code(), "MalformedXML");
    }
    assert!(now(bench.memory.hold_within(BUDGET_BUCKETS_BYTES, &TestClock::new(), 0)).is_ok());
}

/// Its room would end before it does.
#[test]
fn a_document_that_does_not_arrive_is_not_waited_for() {
    let bench = Bench::default();
    let head = RequestHead::new("POST", "/DATA", "delete", [("content-length", "3145728")]);
    let mut body = MemoryBytes::of([b"<Delete>".to_vec()]);
    body.hangs = true;
    let cancelled = body.cancelled.clone();
    let stalled = super::read(now(bench.gateway().answer(&head, Some(Box::new(body) as Bytes))));
    assert_eq!((stalled.status, stalled.code()), (400, "RequestTimeout"));
    assert!(cancelled.get());
}

fn fill(store: &MemoryStore, character: &str, length: usize) {
    for at in 0..1_000 {
        let key = format!("{at:04}{}", character.repeat(length - 4));
        store.objects.borrow_mut().insert(key, (b"x".to_vec(), <_>::default()));
    }
}

#[test]
fn a_list_takes_no_more_than_its_room_and_the_longest_a_few_times_that() {
    for (character, length, most_bytes) in
        [("a", 100, MIB), ("é", 200, LIST_BYTES as usize), ("\"", 1_024, 15 * MIB)]
    {
        for (store, bucket) in [("R2", "DATA"), ("service", "far")] {
            let bench = Bench::default();
            fill(&bench.data, character, length);
            fill(&bench.service.bucket("far"), character, length);
            let list = || bench.get(&format!("GET /{bucket}?list-type=2"));
            let (list, peak) = peak_bytes(list);
            assert_eq!(list.element("KeyCount"), "1000");
            assert!(peak < most_bytes, "{store}, {length} of {character}: {peak}");
        }
    }
}

#[test]
fn a_service_cannot_answer_more_than_it_was_asked_for() {
    let bench = Bench::default();
    let code = |request: &str, status: u16, answer: String| {
        bench.service.next.replace(Some((status, <_>::default(), answer)));
        let read = bench.get(request);
        (read.status >= 400).then(|| read.code().to_owned())
    };
    let list = |inside: &str| format!("<ListBucketResult>{inside}</ListBucketResult>");
    let key = |length: usize| format!("<Contents><Key>{}</Key></Contents>", "k".repeat(length));
    let wrong = Some("InternalError".to_owned());
    assert_eq!(code("GET /far", 200, list(&key(1_000).repeat(1_000))), None);
    assert_eq!(code("GET /far", 200, list(&key(1).repeat(1_001))), wrong);
    assert_eq!(code("GET /far", 200, list(&key(1_025))), wrong);
    let padded = |length: usize| list(&format!("<Name>{}</Name>", "n".repeat(length)));
    assert_eq!(code("GET /far", 200, padded(4 * 1_024_000)), None);
    assert_eq!(code("GET /far", 200, padded(4 * 1_024_000 + 65_536)), wrong);
    assert_eq!(code("GET /far?max-keys=1", 200, padded(65_536)), None);
    assert_eq!(code("GET /far?max-keys=1", 200, padded(70_000)), wrong);
    let error =
        format!("<Error><Code>NoSuchKey</Code><Message>{}</Message></Error>", "m".repeat(65_536));
    assert_eq!(code("GET /far/k", 404, error.clone()), wrong);
    assert_eq!(code("DELETE /far/k", 404, error), wrong);
}

#[test]
fn a_refusal_of_many_keys_does_not_repeat_long_prefixes() {
    let bench = Bench::default();
    let keys = "<Object><Key>k</Key></Object>".repeat(1_000);
    let deleted =
        bench.put("POST /LONG?delete", &[], format!("<Delete>{keys}</Delete>").as_bytes());
    assert_eq!(deleted.text.matches("<Code>AccessDenied</Code>").count(), 1_000);
    assert!(deleted.text.len() < 400_000, "{}", deleted.text.len());
}
