//! An archive in memory that counts how it is read.

use async_trait::async_trait;
use snapshotter::domain::error::{Error, ErrorCode, Result};
use snapshotter::ports::bucket::ranges::Ranges;
use std::cell::{Cell, RefCell};
use std::future::poll_fn;
use std::rc::Rc;
use std::task::Poll;

#[derive(Default)]
pub struct MemoryRanges {
    bytes: Vec<u8>,
    /// Offset and length of each range that was read.
    reads: RefCell<Vec<(u64, u64)>>,
    now: Cell<usize>,
    most_at_once: Cell<usize>,
    /// Reads until one fails.
    fails_after: Cell<Option<usize>>,
}

impl MemoryRanges {
    pub fn new(bytes: Vec<u8>) -> Rc<Self> {
        Rc::new(Self { bytes, ..Self::default() })
    }

    /// The ranges read since the last call.
    pub fn take_reads(&self) -> Vec<(u64, u64)> {
        self.reads.take()
    }

    pub fn most_at_once(&self) -> usize {
        self.most_at_once.get()
    }

    /// The read after this many fails, and all later ones.
    pub fn fail_after(&self, reads: Option<usize>) {
        self.fails_after.set(reads);
    }
}

#[async_trait(?Send)]
impl Ranges for MemoryRanges {
    fn size_bytes(&self) -> u64 {
        self.bytes.len() as u64
    }

    async fn read(&self, offset: u64, len_bytes: u64) -> Result<Vec<u8>> {
        let end = offset.checked_add(len_bytes).filter(|end| *end <= self.size_bytes());
        assert!(end.is_some() && len_bytes > 0, "{len_bytes} bytes from {offset} on are no range");
        self.reads.borrow_mut().push((offset, len_bytes));
        match self.fails_after.get() {
            Some(0) => return Err(Error::new(ErrorCode::Unavailable, "the bucket is away")),
            left => self.fails_after.set(left.map(|left| left - 1)),
        }
        self.now.set(self.now.get() + 1);
        self.most_at_once.set(self.most_at_once.get().max(self.now.get()));
        // Waits once, so that reads at the same time are seen as such.
        let mut waited = false;
        poll_fn(|context| {
            if std::mem::replace(&mut waited, true) {
                return Poll::Ready(());
            }
            context.waker().wake_by_ref();
            Poll::Pending
        })
        .await;
        self.now.set(self.now.get() - 1);
        Ok(self.bytes[offset as usize..end.unwrap() as usize].to_vec())
    }
}
