//! The tail of a long text.

/// Text that has not been sent yet: the whole text, or only its tail.
#[derive(Debug, Default)]
pub struct Tail {
    text: String,
    left_out: usize,
}

impl Tail {
    /// Appends text. A text longer than twice `max_bytes` is cut to its last
    /// `max_bytes`.
    pub fn push(&mut self, text: &str, max_bytes: usize) {
        self.text.push_str(text);
        // The text is not trimmed with each piece, because that moves the remaining text.
        if self.text.len() > max_bytes.saturating_mul(2) {
            self.trim(max_bytes);
        }
    }

    /// Whether there is no text to send.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// Takes the text: at most its last `max_bytes`, after a line that says how
    /// many bytes are left out.
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

#[cfg(test)]
mod tests {
    use super::*;

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
            // Each character has three bytes, so that the limit falls inside a character.
            tail.push(&"€".repeat(1_000), 4_096);
            assert!(tail.text.len() <= 2 * 4_096);
        }
        let left_out = 30_000 - 4_095;
        assert_eq!(tail.take(4_096), format!("[{left_out} bytes left out]\n{}", "€".repeat(1_365)));
    }
}
