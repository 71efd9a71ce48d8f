//! Answers S3 clients in containers from the session's buckets. The platform sends a container's
//! requests to `http://r2.internal` here (`entry/egress.ts`), and the sandbox's object says which
//! buckets they may reach. So clients need no credentials, and the gateway ignores any.

mod answer;
mod body;
mod buckets;
mod copy;
mod delete;
mod memory;
mod read;
mod remote;
mod service;
mod uploads;
mod write;

use crate::domain::s3::conditions::check_no_accounts;
use crate::domain::s3::error::Result;
use crate::domain::s3::operation::Operation;
use crate::domain::s3::request::RequestHead;
use crate::ports::{Bytes, Level, LogLine};
use serde_json::json;

pub use crate::gateway::answer::{Answer, AnswerBody};
pub use crate::gateway::remote::RemoteStore;
pub use crate::gateway::service::Gateway;

impl Gateway {
    /// Answers a request, and logs it.
    pub async fn answer(&self, head: &RequestHead, body: Option<Bytes>) -> Answer {
        let began_ms = self.clock.now_ms();
        let operation = Operation::parse(head);
        let name = operation.as_ref().map_or("unknown", Operation::name);
        let (level, fields, answer) = match self.run(operation, head, body).await {
            Ok(answer) => (Level::Info, json!({ "status": answer.status }), answer),
            Err(error) => {
                let level = if error.status() >= 500 { Level::Error } else { Level::Info };
                let fields = json!({ "status": error.status(), "code": error.code.parts().1, "cause": error.cause });
                (level, fields, Answer::error(head, &error))
            }
        };
        let mut line = LogLine::new(level, "bucket", fields);
        line.fields.insert("sandboxId".to_owned(), json!(self.caller));
        line.fields.insert("operation".to_owned(), json!(name));
        let took_ms = self.clock.now_ms().saturating_sub(began_ms);
        line.fields.insert("durationMs".to_owned(), json!(took_ms));
        self.log.write(line);
        answer
    }

    async fn run(
        &self,
        operation: Result<Operation>,
        head: &RequestHead,
        mut body: Option<Bytes>,
    ) -> Result<Answer> {
        let answer = match operation {
            Ok(operation) => self.act(operation, head, &mut body).await,
            Err(error) => Err(error),
        };
        if let Some(mut unread) = body {
            body::drain(&mut unread).await;
        }
        answer
    }

    async fn act(
        &self,
        operation: Operation,
        head: &RequestHead,
        body: &mut Option<Bytes>,
    ) -> Result<Answer> {
        check_no_accounts(head)?;
        let _held = self.hold(&operation, head).await?;
        match operation {
            Operation::ListBuckets => Ok(self.list_buckets()),
            Operation::HeadBucket(bucket) => {
                self.readable(&bucket, None).map(|_| Answer::empty(200))
            }
            Operation::CreateBucket(bucket) => self.create_bucket(&bucket),
            Operation::GetBucketLocation(bucket) => self.location(&bucket),
            Operation::GetBucketVersioning(bucket) => self.versioning(&bucket),
            Operation::List(bucket, list) => self.list(&bucket, &list).await,
            Operation::DeleteObjects(bucket) => self.delete_objects(&bucket, head, body).await,
            Operation::Get(at, overrides) => self.get(&at, head, &overrides).await,
            Operation::Head(at) => self.head(&at, head).await,
            Operation::Put(at) => self.put(&at, head, body).await,
            Operation::Copy { to, from } => self.copy(&to, &from, head).await,
            Operation::Delete(at) => self.delete(&at, head).await,
            Operation::CreateUpload(at) => self.create_upload(&at, head).await,
            Operation::UploadPart(at, part) => self.upload_part(&at, &part, head, body).await,
            Operation::CopyPart { to, part, from } => self.copy_part(&to, &part, &from, head).await,
            Operation::CompleteUpload(at, upload_id) => {
                self.complete_upload(&at, &upload_id, head, body).await
            }
            Operation::AbortUpload(at, upload_id) => self.abort_upload(&at, &upload_id, head).await,
        }
    }
}
