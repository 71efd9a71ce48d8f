//! A program on a terminal of its own.

use crate::domain::error::Result;
use crate::domain::exec::terminal::Printed;
use async_trait::async_trait;

/// A program on a terminal of its own. It runs until it ends or is hung up, whether or not
/// anybody reads what it prints.
#[async_trait(?Send)]
pub trait Terminal {
    /// Reads what it has printed.
    fn read(&self, read: &mut dyn FnMut(&Printed));

    /// Its exit code, once it has ended and all of its output is read.
    ///
    /// # Errors
    /// `UNAVAILABLE` if it has ended, and the container does not say how.
    fn exit_code(&self) -> Option<Result<i32>>;

    /// Waits until it has printed more than `position` bytes in all, or has ended, or
    /// [`Self::wake`] is called.
    async fn changed(&self, position: u64);

    /// Ends each wait in [`Self::changed`].
    fn wake(&self);

    /// Types bytes. Resolves once the terminal has taken them.
    ///
    /// # Errors
    /// `UNAVAILABLE` if it has ended.
    async fn write(&self, bytes: &[u8]) -> Result<()>;

    /// Tells the program after a while that its viewer is gone, and then kills it if it does
    /// not end. 0 is at once. Calling this again sets another time.
    fn hang_up_in(&self, ms: u64);

    /// Takes a hang-up back that has not come yet.
    fn keep(&self);
}
