//! Deletes objects.

use crate::domain::s3::conditions::check_unconditional;
use crate::domain::s3::documents::DeleteList;
use crate::domain::s3::error::Result;
use crate::domain::s3::operation::Address;
use crate::domain::s3::request::RequestHead;
use crate::domain::s3::xml::Element;
use crate::gateway::answer::Answer;
use crate::gateway::body::document;
use crate::gateway::service::Gateway;
use crate::ports::Bytes;

const MESSAGE_MAX_CHARS: usize = 200;

impl Gateway {
    pub(super) async fn delete(&self, at: &Address, head: &RequestHead) -> Result<Answer> {
        let store = self.writable(&at.bucket, &at.key)?;
        check_unconditional(head)?;
        store.delete(std::slice::from_ref(&at.key)).await?;
        Ok(Answer::empty(204))
    }

    /// Deletes the named objects that may be written, and lists the others.
    pub(super) async fn delete_objects(
        &self,
        bucket: &str,
        head: &RequestHead,
        body: &mut Option<Bytes>,
    ) -> Result<Answer> {
        let store = self.readable(bucket, None)?;
        check_unconditional(head)?;
        let DeleteList { keys, quiet } =
            DeleteList::parse(&document(self.clock.as_ref(), head, body).await?)?;
        let (mut deleted, mut refused) = (Vec::new(), Vec::new());
        for key in keys {
            match self.scope.check_write(bucket, &key) {
                Ok(()) => deleted.push(key),
                Err(error) => refused.push((key, error)),
            }
        }
        if !deleted.is_empty() {
            store.delete(&deleted).await?;
        }
        let deleted = deleted.iter().filter(|_| !quiet);
        let deleted = deleted.map(|key| Element::new("Deleted").text("Key", key));
        let refused = refused.iter().map(|(key, error)| {
            // The message contains the session's prefixes, and every key may have it.
            let message: String = error.message.chars().take(MESSAGE_MAX_CHARS).collect();
            Element::new("Error")
                .text("Key", key)
                .text("Code", error.code.parts().1)
                .text("Message", &message)
        });
        let result = Element::new("DeleteResult").children(deleted).children(refused);
        Ok(Answer::xml(result.document()))
    }
}
