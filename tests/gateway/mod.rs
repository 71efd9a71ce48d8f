//! S3 clients of containers, over buckets in memory.

mod memory;
mod objects;
mod remote;
mod scope;
mod uploads;

use crate::support::objects::{MemoryStore, MemoryStores};
use crate::support::ports::{MemoryLog, TestClock};
use crate::support::service::MemoryService;
use crate::support::stream::MemoryBytes;
use crate::world::now;
use snapshotter::domain::limits::BUDGET_BUCKETS_BYTES;
use snapshotter::domain::s3::{BucketMount, RequestHead, Scope};
use snapshotter::gateway::{Answer, AnswerBody, Gateway};
use snapshotter::ports::stream::Bytes;
use snapshotter::support::budget::Budget;
use std::collections::BTreeMap;
use std::rc::Rc;

/// An answer, read whole.
#[derive(Debug, Clone, PartialEq)]
pub struct Read {
    pub status: u16,
    pub headers: BTreeMap<String, String>,
    pub text: String,
    /// The length of a body that was left out.
    pub omitted: Option<u64>,
}

impl Read {
    /// The text of the first element of that name.
    pub fn element(&self, name: &str) -> &str {
        let (_, rest) = self.text.split_once(&format!("<{name}>")).expect(name);
        rest.split_once(&format!("</{name}>")).expect(name).0
    }

    /// The code of an error.
    pub fn code(&self) -> &str {
        self.element("Code")
    }
}

/// A session with the bucket `DATA`, and `LOGS` below `2024/` read-only. The same of a service: `far`
/// and `far-logs`; and `far-own` below `own/`. `LONG` has a long prefix.
pub struct Bench {
    pub data: MemoryStore,
    pub logs: MemoryStore,
    pub service: MemoryService,
    pub log: MemoryLog,
    pub memory: Budget,
}

impl Default for Bench {
    fn default() -> Self {
        Self {
            data: MemoryStore::default(),
            logs: MemoryStore::default(),
            service: MemoryService::default(),
            log: MemoryLog::default(),
            memory: Budget::new(BUDGET_BUCKETS_BYTES),
        }
    }
}

impl Bench {
    pub fn send(&self, request: &str, headers: &[(&str, &str)], body: &[&[u8]]) -> Read {
        let body = body.iter().map(|piece| piece.to_vec()).collect::<Vec<_>>();
        let stream = (!body.is_empty()).then(|| Box::new(MemoryBytes::of(body)) as Bytes);
        let (method, address) = request.split_once(' ').unwrap();
        let (path, query) = address.split_once('?').unwrap_or((address, ""));
        let head = RequestHead::new(method, path, query, headers.iter().copied());
        read(now(self.gateway().answer(&head, stream)))
    }

    /// A request with a body of its length.
    pub fn put(&self, request: &str, headers: &[(&str, &str)], body: &[u8]) -> Read {
        let length = body.len().to_string();
        let headers = [headers, [("content-length", length.as_str())].as_slice()].concat();
        let pieces: Vec<&[u8]> = body.chunks(2).collect();
        self.send(request, &headers, &pieces)
    }

    pub fn get(&self, request: &str) -> Read {
        self.send(request, &[], &[])
    }

    fn gateway(&self) -> Gateway {
        let mount = |bucket: &str, prefix: &str, read_only| BucketMount {
            bucket: bucket.into(),
            prefix: prefix.into(),
            read_only,
            remote: None,
        };
        let at_service = |bucket: &str, prefix: &str, read_only| BucketMount {
            remote: Some(remote::at_service()),
            ..mount(bucket, prefix, read_only)
        };
        let stores = [
            ("DATA", &self.data),
            ("LOGS", &self.logs),
            ("LONG", &self.logs),
            ("UNMOUNTED", &self.data),
        ];
        let stores = stores.map(|(name, store)| (name.to_owned(), store.clone())).into();
        Gateway {
            clock: Rc::new(TestClock::new()),
            log: Rc::new(self.log.clone()),
            memory: self.memory.clone(),
            stores: Rc::new(MemoryStores(stores)),
            services: Rc::new(self.service.clone()),
            scope: Scope::new(vec![
                mount("DATA", "", false),
                mount("LOGS", "2024/", true),
                mount("LONG", &"long/".repeat(100), false),
                at_service("far", "", false),
                at_service("far-logs", "2024/", true),
                at_service("far-own", "own/", false),
            ]),
            caller: "sandbox".into(),
        }
    }
}

fn read(answer: Answer) -> Read {
    let (text, omitted) = match answer.body {
        AnswerBody::Empty => (String::new(), None),
        AnswerBody::Omitted(length) => (String::new(), Some(length)),
        AnswerBody::Xml(text) => (text, None),
        AnswerBody::Stream(mut bytes, length) => {
            let mut whole = Vec::new();
            while let Some(more) = now(bytes.next()).unwrap() {
                whole.extend(more);
            }
            assert_eq!(whole.len() as u64, length);
            (String::from_utf8(whole).unwrap(), None)
        }
    };
    Read { status: answer.status, headers: answer.headers.into_iter().collect(), text, omitted }
}
