//! Decodes text from bytes that arrive in pieces.

/// Decodes UTF-8 that may be cut anywhere. Replaces invalid bytes.
#[derive(Debug, Default)]
pub struct Utf8Pieces {
    /// The start of an incomplete character.
    rest: Vec<u8>,
}

impl Utf8Pieces {
    /// The text since the last call. An incomplete character waits for its remaining bytes.
    pub fn push(&mut self, bytes: &[u8]) -> String {
        self.rest.extend_from_slice(bytes);
        let whole = match std::str::from_utf8(&self.rest) {
            Ok(_) => self.rest.len(),
            Err(_) => self.rest.len() - begun(&self.rest),
        };
        let rest = self.rest.split_off(whole);
        let text = String::from_utf8_lossy(&self.rest).into_owned();
        self.rest = rest;
        text
    }

    /// Replaces the bytes that never became a character.
    pub fn finish(&mut self) -> String {
        String::from_utf8_lossy(&std::mem::take(&mut self.rest)).into_owned()
    }
}

/// The bytes without an incomplete last character.
#[must_use]
pub fn whole(bytes: &[u8]) -> &[u8] {
    bytes.get(..bytes.len() - begun(bytes)).unwrap_or_default()
}

/// Bytes at the end that may become a character.
pub(crate) fn begun(bytes: &[u8]) -> usize {
    (1..=bytes.len().min(3))
        .find(|count| {
            let tail = bytes.get(bytes.len() - count..).unwrap_or_default();
            std::str::from_utf8(tail)
                .is_err_and(|error| error.valid_up_to() == 0 && error.error_len().is_none())
        })
        .unwrap_or(0)
}

/// Lowercase hexadecimal.
#[must_use]
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::{hex, *};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn pieces_are_what_the_whole_is(bytes in proptest::collection::vec(prop_oneof![
            any::<u8>(), Just(0xe2), Just(0x82), Just(0xac), Just(0xf0), Just(0x9f),
        ], 0..40), size in 1usize..7) {
            let mut pieces = Utf8Pieces::default();
            let mut text: String = bytes.chunks(size).map(|piece| pieces.push(piece)).collect();
            text.push_str(&pieces.finish());
            prop_assert_eq!(text, String::from_utf8_lossy(&bytes).into_owned());
        }
    }

    #[test]
    fn a_character_waits_for_its_rest() {
        let mut pieces = Utf8Pieces::default();
        let euro = "€".as_bytes();
        assert_eq!(pieces.push(&euro[..2]), "");
        assert_eq!(pieces.push(&euro[2..]), "€");
        assert_eq!(pieces.push(b"a\xff"), "a\u{fffd}");
        assert_eq!(
            (pieces.push(&euro[..1]), pieces.finish().as_str()),
            (String::new(), "\u{fffd}")
        );
    }

    #[test]
    fn each_byte_has_two_digits() {
        assert_eq!(hex(&[0, 0x0a, 0xff]), "000aff");
        assert_eq!(hex(&[]), "");
    }
}
