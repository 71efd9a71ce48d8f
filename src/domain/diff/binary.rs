//! Writes binary patches in git's format.

use miniz_oxide::deflate::compress_to_vec_zlib;

/// Compression level, from 0 to 10.
const LEVEL: u8 = 6;
/// Maximum bytes of a line.
const LINE_BYTES: usize = 52;
/// Git's base-85 digits, in order.
const DIGITS: &[u8; 85] =
    b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~";

/// Writes both contents, so that the patch can also be reversed.
pub(super) fn write(to: &mut Vec<u8>, before: &[u8], after: &[u8]) {
    to.extend(b"GIT binary patch\n");
    for content in [after, before] {
        to.extend(format!("literal {}\n", content.len()).bytes());
        for bytes in compress_to_vec_zlib(content, LEVEL).chunks(LINE_BYTES) {
            write_line(to, bytes);
        }
        to.push(b'\n');
    }
}

/// Writes at most [`LINE_BYTES`]: their count as a letter, and each four bytes as five digits.
fn write_line(to: &mut Vec<u8>, bytes: &[u8]) {
    let letter = (b'A'..=b'Z').chain(b'a'..=b'z').nth(bytes.len().saturating_sub(1));
    to.extend(letter);
    for four in bytes.chunks(4) {
        let mut number = 0;
        for at in 0..4 {
            number = number << 8 | u32::from(four.get(at).copied().unwrap_or_default());
        }
        let digits = [85 * 85 * 85 * 85, 85 * 85 * 85, 85 * 85, 85, 1]
            .map(|unit: u32| DIGITS.get((number / unit % 85) as usize).copied());
        to.extend(digits.into_iter().flatten());
    }
    to.push(b'\n');
}
