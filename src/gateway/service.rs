//! The gateway, and the helpers of all verbs.

use crate::domain::s3::error::Result;
use crate::domain::s3::scope::Scope;
use crate::gateway::remote::RemoteStore;
use crate::ports::bucket::objects::{ObjectStore, ObjectStores};
use crate::ports::bucket::service::S3Services;
use crate::ports::{Clock, Log};
use crate::support::budget::Budget;
use std::rc::Rc;

/// The gateway. Each request gets its own.
pub struct Gateway {
    /// Time, for the log.
    pub clock: Rc<dyn Clock>,
    /// Log lines.
    pub log: Rc<dyn Log>,
    /// The Worker's buckets.
    pub stores: Rc<dyn ObjectStores>,
    /// Other S3 services.
    pub services: Rc<dyn S3Services>,
    /// Room for documents and lists, which all gateways of the isolate share.
    pub memory: Budget,
    /// The buckets and prefixes that the request may reach.
    pub scope: Scope,
    /// The caller, for the log: the sandbox.
    pub caller: String,
}

impl Gateway {
    /// The store of a bucket whose key or prefix may be read.
    pub(crate) fn readable(&self, bucket: &str, key: Option<&str>) -> Result<Rc<dyn ObjectStore>> {
        match key {
            Some(key) => self.scope.check_read(bucket, key)?,
            None => self.scope.check_bucket(bucket)?,
        }
        self.open(bucket)
    }

    /// The store of a bucket in the scope, in R2 or elsewhere.
    fn open(&self, bucket: &str) -> Result<Rc<dyn ObjectStore>> {
        let Some(remote) = self.scope.remote(bucket) else { return self.stores.open(bucket) };
        Ok(Rc::new(RemoteStore {
            services: self.services.clone(),
            clock: self.clock.clone(),
            remote: remote.clone(),
            bucket: bucket.to_owned(),
        }))
    }

    /// The store of a bucket whose key may be written.
    pub(crate) fn writable(&self, bucket: &str, key: &str) -> Result<Rc<dyn ObjectStore>> {
        self.scope.check_write(bucket, key)?;
        self.open(bucket)
    }
}
