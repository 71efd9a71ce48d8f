//! An S3 service in memory: another gateway, whose buckets are all open. It takes signed requests
//! only, and remembers them.

use super::objects::{MemoryStore, MemoryStores};
use super::ports::{MemoryLog, TestClock};
use super::stream::MemoryBytes;
use async_trait::async_trait;
use snapshotter::domain::limits::BUDGET_BUCKETS_BYTES;
use snapshotter::domain::s3::remote::request::SignedRequest;
use snapshotter::domain::s3::{BucketMount, RequestHead, Result, Scope};
use snapshotter::gateway::{Answer, AnswerBody, Gateway};
use snapshotter::ports::bucket::service::{S3Services, Sent, ServiceAnswer};
use snapshotter::ports::stream::Bytes;
use snapshotter::support::budget::Budget;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Where the service is.
pub const ENDPOINT: &str = "https://s3.example.com";

/// By their name.
type Headers = BTreeMap<String, String>;

/// A service in memory. Clones share it.
#[derive(Clone, Default)]
pub struct MemoryService {
    /// By the name of the bucket.
    pub buckets: Rc<RefCell<BTreeMap<String, MemoryStore>>>,
    /// What it was asked: method and address, and all headers.
    pub requests: Rc<RefCell<Vec<(String, Headers)>>>,
    /// What it answers next, whatever it is asked: status, headers and body.
    pub next: Rc<RefCell<Option<(u16, Headers, String)>>>,
}

impl MemoryService {
    /// A bucket, which is there from now on.
    pub fn bucket(&self, name: &str) -> MemoryStore {
        self.buckets.borrow_mut().entry(name.to_owned()).or_default().clone()
    }

    fn gateway(&self) -> Gateway {
        let stores = self.buckets.borrow().clone();
        let open = stores.keys().map(|bucket| BucketMount {
            bucket: bucket.clone(),
            prefix: String::new(),
            read_only: false,
            remote: None,
        });
        Gateway {
            clock: Rc::new(TestClock::new()),
            log: Rc::new(MemoryLog::default()),
            memory: Budget::new(BUDGET_BUCKETS_BYTES),
            scope: Scope::new(open.collect()),
            stores: Rc::new(MemoryStores(stores)),
            services: Rc::new(self.clone()),
            caller: "service".into(),
        }
    }
}

#[async_trait(?Send)]
impl S3Services for MemoryService {
    async fn send(
        &self,
        method: &'static str,
        request: SignedRequest,
        body: Sent,
    ) -> Result<ServiceAnswer> {
        let SignedRequest { url, headers, .. } = request;
        let mut headers: BTreeMap<String, String> = headers.into_iter().collect();
        let path = url.strip_prefix(ENDPOINT).expect("a request to the endpoint");
        self.requests.borrow_mut().push((format!("{method} {path}"), headers.clone()));
        if let Some((status, headers, text)) = self.next.take() {
            let body: Bytes = Box::new(MemoryBytes::of([text.into_bytes()]));
            return Ok(ServiceAnswer { status, headers, body: Some(body) });
        }
        assert!(headers["authorization"].starts_with("AWS4-HMAC-SHA256 Credential="));
        let (body, length): (Option<Bytes>, u64) = match body {
            Sent::Nothing => (None, 0),
            Sent::Whole(bytes) => {
                let length = bytes.len() as u64;
                (Some(Box::new(MemoryBytes::of([bytes]))), length)
            }
            Sent::Stream(bytes, length) => (Some(bytes), length),
        };
        headers.insert("content-length".to_owned(), length.to_string());
        let (path, query) = path.split_once('?').unwrap_or((path, ""));
        let headers = headers.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        let head = RequestHead::new(method, path, query, headers);
        Ok(told(self.gateway().answer(&head, body).await))
    }
}

fn told(answer: Answer) -> ServiceAnswer {
    let mut headers: BTreeMap<String, String> = answer.headers.into_iter().collect();
    let text = |text: String| Box::new(MemoryBytes::of([text.into_bytes()])) as Bytes;
    let (body, length) = match answer.body {
        AnswerBody::Empty => (Some(text(String::new())), None),
        AnswerBody::Omitted(length) => (None, Some(length)),
        AnswerBody::Xml(document) => (Some(text(document)), None),
        AnswerBody::Stream(bytes, length) => (Some(bytes), Some(length)),
    };
    if let Some(length) = length {
        headers.insert("content-length".to_owned(), length.to_string());
    }
    ServiceAnswer { status: answer.status, headers, body }
}
