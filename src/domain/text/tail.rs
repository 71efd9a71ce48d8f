//! The tail of a long text.

use crate::domain::text::utf8;
use std::collections::VecDeque;

/// Unsent text, or its tail.
#[derive(Debug, Default)]
pub struct Tail {
    text: String,
    left_out: usize,
}

impl Tail {
    /// Appends text. Beyond twice `max_bytes`, keeps the last `max_bytes`.
    pub fn push(&mut self, text: &str, max_bytes: usize) {
        self.text.push_str(text);
        // Trimming with each piece would move the text each time.
        if self.text.len() > max_bytes.saturating_mul(2) {
            self.trim(max_bytes);
        }
    }

    /// Whether there is no text to send.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// Takes at most the last `max_bytes`, after a line that counts the omitted bytes.
    pub fn take(&mut self, max_bytes: usize) -> String {
        self.trim(max_bytes);
        let text = std::mem::take(&mut self.text);
        match std::mem::take(&mut self.left_out) {
            0 => text,
            left_out => format!("[{left_out} bytes left out]\n{text}"),
        }
    }

    fn trim(&mut self, max_bytes: usize) {
        let mut cut = self.text.len().saturating_sub(max_bytes);
        while !self.text.is_char_boundary(cut) {
            cut += 1;
        }
        self.left_out += cut;
        self.text.drain(..cut);
    }
}

/// Keeps a stream's first bytes and, optionally, its last ones.
#[derive(Debug, Default)]
pub struct Ends {
    head: Vec<u8>,
    head_max: usize,
    tail: VecDeque<u8>,
    tail_max: usize,
    left_out: u64,
}

impl Ends {
    /// Keeps the first `head_max` bytes and the last `tail_max`.
    #[must_use]
    pub fn new(head_max: usize, tail_max: usize) -> Self {
        Self { head_max, tail_max, ..Self::default() }
    }

    /// How many of the next `len` bytes to push. The rest can be [skipped](Self::skip).
    #[must_use]
    pub fn wanted(&self, len: usize) -> usize {
        if self.tail_max > 0 { len } else { len.min(self.head_max - self.head.len()) }
    }

    /// Counts bytes that are not pushed.
    pub const fn skip(&mut self, len: usize) {
        self.left_out += len as u64;
    }

    /// Lowers the limits of both ends. An end that already has more keeps it.
    pub fn limit(&mut self, max: usize) {
        self.head_max = self.head_max.min(max.max(self.head.len()));
        self.tail_max = self.tail_max.min(max.max(self.tail.len()));
    }

    /// Adds the next bytes.
    pub fn push(&mut self, bytes: &[u8]) {
        let (first, rest) = bytes.split_at(bytes.len().min(self.head_max - self.head.len()));
        self.keep_first(first);
        let (passed, last) = rest.split_at(rest.len().saturating_sub(self.tail_max));
        let dropped = (self.tail.len() + last.len()).saturating_sub(self.tail_max);
        self.tail.drain(..dropped.min(self.tail.len()));
        self.tail.extend(last);
        self.left_out += (passed.len() + dropped) as u64;
    }

    /// Doubles the capacity as needed, up to `head_max`.
    fn keep_first(&mut self, bytes: &[u8]) {
        let needed = self.head.len() + bytes.len();
        if needed > self.head.capacity() {
            let capacity = self.head_max.min(needed.max(2 * self.head.capacity()));
            self.head.reserve_exact(capacity - self.head.len());
        }
        self.head.extend_from_slice(bytes);
    }

    /// Whether any bytes were left out.
    #[must_use]
    pub const fn is_cut(&self) -> bool {
        self.left_out > 0
    }

    /// The kept bytes. Between two ends, a line counts the omitted bytes, and no character is cut.
    #[must_use]
    pub fn into_bytes(self) -> Vec<u8> {
        let Self { head: mut bytes, mut tail, tail_max, left_out, .. } = self;
        if tail_max > 0 && left_out > 0 {
            let cut = utf8::begun(&bytes);
            bytes.truncate(bytes.len() - cut);
            let begun = tail.iter().take(3).take_while(|byte| **byte & 0xc0 == 0x80).count();
            tail.drain(..begun);
            let left_out = left_out + (cut + begun) as u64;
            let note = format!(
                "\n[{left_out} bytes left out here: redirect the output to a file and read parts of it, or raise maxOutputBytes]\n"
            );
            bytes.extend_from_slice(note.as_bytes());
        }
        bytes.extend(tail);
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_is_little_is_told_whole_and_once() {
        let mut tail = Tail::default();
        assert!(tail.is_empty());
        tail.push("one\n", 11);
        tail.push("zwölf\n", 11);
        assert_eq!(tail.take(11), "one\nzwölf\n");
        assert!(tail.is_empty());
        tail.push("two", 11);
        assert_eq!(tail.take(11), "two");
    }

    #[test]
    fn of_much_the_end_is_told_cut_between_characters() {
        let mut tail = Tail::default();
        for _ in 0..10 {
            // The limit falls inside a character of three bytes.
            tail.push(&"€".repeat(1_000), 4_096);
            assert!(tail.text.len() <= 2 * 4_096);
        }
        let left_out = 30_000 - 4_095;
        assert_eq!(tail.take(4_096), format!("[{left_out} bytes left out]\n{}", "€".repeat(1_365)));
    }

    #[test]
    fn a_limit_counts_from_now_on() {
        let mut ends = Ends::new(8, 8);
        ends.push(b"ab");
        ends.limit(3);
        ends.push(b"cdefgh");
        assert_eq!((&*ends.head, &*ends.tail.make_contiguous()), (&b"abc"[..], &b"fgh"[..]));
        assert!(ends.is_cut());
        ends.limit(1);
        ends.push(b"i");
        assert_eq!((&*ends.head, &*ends.tail.make_contiguous()), (&b"abc"[..], &b"ghi"[..]));
    }

    fn kept(text: &[u8], size: usize, head: usize, tail: usize) -> (Vec<u8>, bool) {
        let mut ends = Ends::new(head, tail);
        for piece in text.chunks(size) {
            let (wanted, rest) = piece.split_at(ends.wanted(piece.len()));
            ends.push(wanted);
            ends.skip(rest.len());
        }
        let cut = ends.is_cut();
        (ends.into_bytes(), cut)
    }

    #[test]
    fn of_much_the_beginning_and_the_end_are_kept() {
        let (bytes, cut) = kept("äbcdefghijklmnopqrstuvwxyzö€".as_bytes(), 4, 4, 4);
        let text = String::from_utf8(bytes).unwrap();
        assert!(cut);
        assert!(
            text.starts_with("äbc\n[25 bytes left out here: ") && text.ends_with("]\n€"),
            "{text}"
        );
        let (bytes, _) = kept("ääääää".as_bytes(), 5, 3, 3);
        let text = String::from_utf8(bytes).unwrap();
        assert!(text.starts_with("ä\n[8 bytes") && text.ends_with("]\nä"), "{text}");
    }

    proptest! {
        #[test]
        fn what_fits_is_whole_and_what_does_not_is_bounded(
            text in proptest::collection::vec(any::<u8>(), 0..60),
            size in 1usize..9, head in 0usize..20, tail in 0usize..20,
        ) {
            let (bytes, cut) = kept(&text, size, head, tail);
            prop_assert_eq!(cut, text.len() > head + tail);
            if !cut {
                prop_assert_eq!(bytes, text);
            } else if tail == 0 {
                prop_assert_eq!(bytes.as_slice(), &text[..head]);
            } else {
                prop_assert!(bytes.len() <= head + tail + 140);
            }
        }
    }
}
