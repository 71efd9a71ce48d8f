//! Digests of request bodies.

use crc::{CRC_32_ISCSI, CRC_32_ISO_HDLC, CRC_64_NVME, Crc, Digest as CrcDigest};
use md5::Md5;
use sha1::Sha1;
use sha2::{Digest, Sha256};

static CRC32: Crc<u32> = Crc::<u32>::new(&CRC_32_ISO_HDLC);
static CRC32C: Crc<u32> = Crc::<u32>::new(&CRC_32_ISCSI);
static CRC64NVME: Crc<u64> = Crc::<u64>::new(&CRC_64_NVME);

/// A digest algorithm.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Algorithm {
    /// CRC-32, as in zlib.
    Crc32,
    /// CRC-32C (Castagnoli).
    Crc32c,
    /// CRC-64, as in NVMe.
    Crc64Nvme,
    /// MD5, 16 bytes.
    Md5,
    /// SHA-1, 20 bytes.
    Sha1,
    /// SHA-256, 32 bytes.
    Sha256,
}

/// Headers with a digest in base64.
pub const HEADERS: [(&str, Algorithm); 6] = [
    ("content-md5", Algorithm::Md5),
    ("x-amz-checksum-crc32", Algorithm::Crc32),
    ("x-amz-checksum-crc32c", Algorithm::Crc32c),
    ("x-amz-checksum-crc64nvme", Algorithm::Crc64Nvme),
    ("x-amz-checksum-sha1", Algorithm::Sha1),
    ("x-amz-checksum-sha256", Algorithm::Sha256),
];

impl Algorithm {
    /// Length of the digest in bytes.
    #[must_use]
    pub const fn length(self) -> usize {
        match self {
            Self::Crc32 | Self::Crc32c => 4,
            Self::Crc64Nvme => 8,
            Self::Md5 => 16,
            Self::Sha1 => 20,
            Self::Sha256 => 32,
        }
    }

    /// Begins a digest.
    #[must_use]
    pub fn digester(self) -> Digester {
        match self {
            Self::Crc32 => Digester::Crc32(CRC32.digest()),
            Self::Crc32c => Digester::Crc32(CRC32C.digest()),
            Self::Crc64Nvme => Digester::Crc64(CRC64NVME.digest()),
            Self::Md5 => Digester::Md5(Md5::new()),
            Self::Sha1 => Digester::Sha1(Sha1::new()),
            Self::Sha256 => Digester::Sha256(Sha256::new()),
        }
    }
}

/// A digest in progress.
pub enum Digester {
    /// Either of the 32-bit CRCs.
    Crc32(CrcDigest<'static, u32>),
    /// The 64-bit CRC.
    Crc64(CrcDigest<'static, u64>),
    /// MD5.
    Md5(Md5),
    /// SHA-1.
    Sha1(Sha1),
    /// SHA-256.
    Sha256(Sha256),
}

impl Digester {
    /// Adds bytes.
    pub fn update(&mut self, bytes: &[u8]) {
        match self {
            Self::Crc32(crc) => crc.update(bytes),
            Self::Crc64(crc) => crc.update(bytes),
            Self::Md5(hash) => hash.update(bytes),
            Self::Sha1(hash) => hash.update(bytes),
            Self::Sha256(hash) => hash.update(bytes),
        }
    }

    /// The digest.
    #[must_use]
    pub fn finish(self) -> Vec<u8> {
        match self {
            Self::Crc32(crc) => crc.finalize().to_be_bytes().to_vec(),
            Self::Crc64(crc) => crc.finalize().to_be_bytes().to_vec(),
            Self::Md5(hash) => hash.finalize().to_vec(),
            Self::Sha1(hash) => hash.finalize().to_vec(),
            Self::Sha256(hash) => hash.finalize().to_vec(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::text::utf8::hex;

    #[test]
    fn digests_are_those_of_their_standards() {
        for (algorithm, expected) in [
            (Algorithm::Crc32, "cbf43926"),
            (Algorithm::Crc32c, "e3069283"),
            (Algorithm::Crc64Nvme, "ae8b14860a799888"),
            (Algorithm::Md5, "25f9e794323b453885f5181f1b624d0b"),
            (Algorithm::Sha1, "f7c3bc1d808e04732adf679965ccc34ca7ae3441"),
            (Algorithm::Sha256, "15e2b0d3c33891ebb0f1ef609ec419420c20e320ce94c65fbc8c3312448eb225"),
        ] {
            let mut digester = algorithm.digester();
            digester.update(b"1234");
            digester.update(b"56789");
            let digest = digester.finish();
            assert_eq!(digest.len(), algorithm.length());
            assert_eq!(hex(&digest), expected, "{algorithm:?}");
        }
    }
}
