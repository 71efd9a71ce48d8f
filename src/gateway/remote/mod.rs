//! Buckets of other S3 services. The Worker signs each request, so containers need no credential,
//! and reach what their mounts allow, no matter what the credentials allow.

mod objects;

use crate::domain::error::Error;
use crate::domain::limits::BUCKET_ANSWER_MAX_BYTES;
use crate::domain::s3::error::Result;
use crate::domain::s3::remote::Remote;
use crate::domain::s3::remote::answer::{error_of, unexpected};
use crate::domain::s3::remote::request::RemoteRequest;
use crate::domain::s3::remote::sign::{UNSIGNED, hash};
use crate::ports::bucket::service::{S3Services, Sent, ServiceAnswer};
use crate::ports::clock::Clock;
use crate::ports::stream::Bytes;
use std::collections::BTreeMap;
use std::rc::Rc;

/// A bucket of another service.
pub struct RemoteStore {
    /// Sends the requests.
    pub services: Rc<dyn S3Services>,
    /// Time, for signatures.
    pub clock: Rc<dyn Clock>,
    /// Where it is.
    pub remote: Remote,
    /// Its name there.
    pub bucket: String,
}

/// An answer whose document was read.
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

    /// Sends a request whose answer is a document, or nothing.
    ///
    /// # Errors
    /// The one that the service answers.
    async fn ask(&self, request: RemoteRequest, body: Sent) -> Result<ReadAnswer> {
        let ServiceAnswer { status, headers, body } = self.send(request, body).await?;
        let document = match body {
            Some(body) => whole(body).await?,
            None => Vec::new(),
        };
        if !(200..300).contains(&status) {
            return Err(error_of(status, &document));
        }
        Ok(ReadAnswer { headers, document })
    }
}

/// Reads a document.
async fn whole(mut body: Bytes) -> Result<Vec<u8>> {
    let mut document = Vec::new();
    let broken = |error: Error| unexpected(&error.to_string());
    while let Some(bytes) = body.next().await.map_err(broken)? {
        document.extend(bytes);
        if document.len() > BUCKET_ANSWER_MAX_BYTES {
            body.cancel().await;
            return Err(unexpected("a document is too long"));
        }
    }
    Ok(document)
}
