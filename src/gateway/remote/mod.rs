//! Buckets of other S3 services. The Worker signs each request, so containers need no credentials.
//! They reach only what their mounts allow, whatever the credentials allow.

mod objects;

use crate::domain::Error;
use crate::domain::limits::{BUCKET_ENTRY_BYTES, BUDGET_FREE_BYTES};
use crate::domain::s3::error::Result;
use crate::domain::s3::remote::Remote;
use crate::domain::s3::remote::answer::{error_of, unexpected};
use crate::domain::s3::remote::request::RemoteRequest;
use crate::domain::s3::remote::sign::{UNSIGNED, hash};
use crate::ports::bucket::service::{S3Services, Sent, ServiceAnswer};
use crate::ports::{Bytes, Clock};
use std::collections::BTreeMap;
use std::rc::Rc;

/// A bucket of another service.
pub struct RemoteStore {
    /// Sends the requests.
    pub services: Rc<dyn S3Services>,
    /// Time, for signatures.
    pub clock: Rc<dyn Clock>,
    /// The bucket's service and credentials.
    pub remote: Remote,
    /// The bucket's name there.
    pub bucket: String,
}

/// An answer with its document, which was read.
struct ReadAnswer {
    headers: BTreeMap<String, String>,
    document: Vec<u8>,
}

impl RemoteStore {
    fn request(&self, method: &'static str, key: &str) -> RemoteRequest {
        let (bucket, key) = (self.bucket.clone(), key.to_owned());
        RemoteRequest { method, bucket, key, ..RemoteRequest::default() }
    }

    async fn send(&self, request: RemoteRequest, body: Sent) -> Result<ServiceAnswer> {
        let hash = match &body {
            Sent::Nothing => hash(b""),
            Sent::Whole(bytes) => hash(bytes),
            Sent::Stream(..) => UNSIGNED.to_owned(),
        };
        let method = request.method;
        let signed = request.signed(&self.remote, &hash, self.clock.now_ms())?;
        self.services.send(method, signed, body).await
    }

    /// Sends a request whose answer is a short document, or empty.
    async fn ask(&self, request: RemoteRequest, body: Sent) -> Result<ReadAnswer> {
        self.ask_about(0, request, body).await
    }

    /// Sends a request whose answer has this many entries.
    async fn ask_about(
        &self,
        entries: u64,
        request: RemoteRequest,
        body: Sent,
    ) -> Result<ReadAnswer> {
        let ServiceAnswer { status, headers, body } = self.send(request, body).await?;
        let document = match body {
            Some(body) => whole(body, entries).await?,
            None => Vec::new(),
        };
        if !(200..300).contains(&status) {
            return Err(error_of(status, &document));
        }
        Ok(ReadAnswer { headers, document })
    }
}

/// Reads a document with this many entries. If there are more than a few, the gateway has reserved
/// room.
async fn whole(mut body: Bytes, entries: u64) -> Result<Vec<u8>> {
    let max_bytes = BUDGET_FREE_BYTES + entries * BUCKET_ENTRY_BYTES;
    let mut document = Vec::new();
    let broken = |error: Error| unexpected(&error.to_string());
    while let Some(bytes) = body.next().await.map_err(broken)? {
        if document.len().saturating_add(bytes.len()) as u64 > max_bytes {
            body.cancel().await;
            return Err(unexpected("a document is too long"));
        }
        document.extend(bytes);
    }
    Ok(document)
}
