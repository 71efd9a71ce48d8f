//! Stores of a gateway.

use crate::domain::s3::attributes::Attributes;
use crate::domain::s3::body::Expected;
use crate::domain::s3::checksum::Algorithm;
use crate::domain::s3::conditions::WriteCondition;
use crate::domain::s3::documents::PartDone;
use crate::domain::s3::listing::ListPage;
use crate::domain::s3::operation::PartOf;
use crate::domain::s3::range::ByteRange;
use crate::domain::s3::{Code, S3Error};
use crate::domain::{Error, Result};
use crate::ports::bucket::objects::{ObjectStore, Put, StoreList};
use crate::ports::contract::check;
use crate::ports::{ByteStream, Bytes};
use async_trait::async_trait;
use sha2::{Digest, Sha256};
use std::any::Any;

/// Objects come back as written, conditions and digests hold, lists come in pages, and parts become
/// an object. `prefix` must hold no objects and end with `/`.
///
/// # Errors
/// As [`crate::ports::contract::bucket`].
pub async fn objects(store: &dyn ObjectStore, prefix: &str) -> Result<()> {
    let key = |name: &str| format!("{prefix}{name}");
    let bytes = |text: &str| Box::new(Whole(Some(text.as_bytes().to_vec()))) as Bytes;
    let other =
        |error: S3Error| Error::internal(error.message.clone()).with_cause(error.code.parts().1);
    let code = |error: S3Error| error.code;
    let mut attributes = Attributes::default();
    attributes.http.insert("content-type".into(), "text/plain".into());
    attributes.http.insert("expires".into(), "Fri, 15 Jan 2027 08:00:00 GMT".into());
    attributes.custom.insert("a".into(), "1".into());
    let put =
        |condition| Put { length_bytes: 5, attributes: &attributes, expected: None, condition };
    let first = key("a/x");
    check(store.head(&first).await.map_err(other)?.is_none(), "head of a missing object is none")?;
    check(store.get(&first, None).await.map_err(other)?.is_none(), "so is get")?;
    let none = WriteCondition::None;
    let stored = store.put(&first, bytes("hello"), &put(&none)).await.map_err(other)?;
    let known = store.head(&first).await.map_err(other)?;
    let known = known.ok_or_else(|| Error::internal("a stored object is missing"))?;
    check(known.etag == stored.etag, "head tells what put has told")?;
    check(known.size_bytes == 5 && known.attributes == attributes, "and what was stored")?;
    let absent = WriteCondition::Absent;
    let again = store.put(&first, bytes("other"), &put(&absent)).await.map(drop).map_err(code);
    check(again == Err(Code::PreconditionFailed), "creating what exists fails")?;
    let same = WriteCondition::Matches(stored.etag.clone());
    let second = store.put(&first, bytes("world"), &put(&same)).await.map_err(other)?;
    check(second.etag != stored.etag, "other content has another ETag")?;
    let stale = store.put(&first, bytes("other"), &put(&same)).await.map(drop).map_err(code);
    check(stale == Err(Code::PreconditionFailed), "replacing by an old ETag fails")?;
    if store.checks_digests() {
        let expected =
            Expected { algorithm: Algorithm::Sha256, digest: Sha256::digest(b"right").to_vec() };
        let checked = Put { expected: Some(&expected), ..put(&none) };
        let wrong = store.put(&first, bytes("wrong"), &checked).await.map(drop).map_err(code);
        check(wrong == Err(Code::BadDigest), "other bytes than the digest's are refused")?;
    }
    let broken = store.put(&first, bytes("shor"), &put(&none)).await;
    check(broken.is_err(), "a body of another length is refused")?;
    let part = |first, last| Some(ByteRange::From { first, last });
    for (range, text) in [
        (None, "world"),
        (part(1, Some(3)), "orl"),
        (part(3, None), "ld"),
        (part(3, Some(99)), "ld"),
        (Some(ByteRange::Suffix(2)), "ld"),
    ] {
        let found = store.get(&first, range).await.map_err(other)?;
        let found = found.ok_or_else(|| Error::internal("it is gone"))?;
        check(found.length_bytes == text.len() as u64, "a part has its length")?;
        check(read(found.body).await? == text.as_bytes(), "a part has its bytes")?;
    }
    let beyond = store.get(&first, part(5, None)).await.map(drop).map_err(code);
    check(beyond == Err(Code::InvalidRange), "a part after the end is refused")?;

    for name in ["a/y", "b/x", "c", "d"] {
        store.put(&key(name), bytes("hello"), &put(&none)).await.map_err(other)?;
    }
    let list = StoreList {
        prefix: prefix.to_owned(),
        delimiter: Some("/".to_owned()),
        limit: 3,
        ..StoreList::default()
    };
    let page = store.list(&list).await.map_err(other)?;
    check(page.prefixes == [key("a/"), key("b/")], "common prefixes come once, in order")?;
    let names = |page: &ListPage| page.objects.iter().map(|o| o.key.clone()).collect::<Vec<_>>();
    check(names(&page) == [key("c")] && page.cursor.is_some(), "with the keys between them")?;
    let rest =
        store.list(&StoreList { cursor: page.cursor, ..list.clone() }).await.map_err(other)?;
    check(names(&rest) == [key("d")] && rest.prefixes.is_empty(), "the next page goes on")?;
    check(rest.cursor.is_none(), "the last page has no cursor")?;
    let after = StoreList { start_after: Some(format!("{}{}", key("b/"), char::MAX)), ..list };
    let after = store.list(&after).await.map_err(other)?;
    check(names(&after) == [key("c"), key("d")], "a list begins after a key")?;
    check(after.prefixes.is_empty(), "and after all below it")?;

    let upload = key("upload");
    let id = store.create_upload(&upload, &attributes).await.map_err(other)?;
    let of = |number| PartOf { upload_id: id.clone(), number };
    let etag = store.upload_part(&upload, &of(1), bytes("hello"), 5).await.map_err(other)?;
    let done = [PartDone { number: 1, etag }];
    let wrong = [PartDone { number: 1, etag: "0".repeat(32) }];
    let refused = store.complete_upload(&upload, &id, &wrong).await.map(drop).map_err(code);
    check(refused == Err(Code::InvalidPart), "a part with another ETag is refused")?;
    let whole = store.complete_upload(&upload, &id, &done).await.map_err(other)?;
    let known = store.head(&upload).await.map_err(other)?;
    let known = known.ok_or_else(|| Error::internal("a completed upload is missing"))?;
    check(known.size_bytes == 5 && known.etag == whole, "the parts are the object")?;
    let again = store.complete_upload(&upload, &id, &done).await.map(drop).map_err(code);
    check(again == Err(Code::NoSuchUpload), "an upload is completed once")?;
    let id = store.create_upload(&upload, &attributes).await.map_err(other)?;
    store.abort_upload(&upload, &id).await.map_err(other)?;
    store.abort_upload(&upload, &id).await.map_err(other)?;
    let of = PartOf { upload_id: id, number: 1 };
    let late = store.upload_part(&upload, &of, bytes("hello"), 5).await.map(drop).map_err(code);
    check(late == Err(Code::NoSuchUpload), "a dropped upload takes no parts")?;

    let all = ["a/x", "a/y", "b/x", "c", "d", "upload"].map(key);
    store.delete(&all).await.map_err(other)?;
    store.delete(&all).await.map_err(other)?;
    check(store.head(&first).await.map_err(other)?.is_none(), "a deleted object is gone")
}

struct Whole(Option<Vec<u8>>);

#[async_trait(?Send)]
impl ByteStream for Whole {
    async fn next(&mut self) -> Result<Option<Vec<u8>>> {
        Ok(self.0.take())
    }

    async fn cancel(&mut self) {
        self.0 = None;
    }

    fn into_native(self: Box<Self>) -> std::result::Result<Box<dyn Any>, Bytes> {
        Err(self)
    }
}

async fn read(mut body: Bytes) -> Result<Vec<u8>> {
    let mut whole = Vec::new();
    while let Some(bytes) = body.next().await? {
        whole.extend(bytes);
    }
    Ok(whole)
}
