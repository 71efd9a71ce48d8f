//! Extended attributes.

use crate::domain::error::Result;
use crate::domain::limits::ARCHIVE_XATTRS_MAX_BYTES;
use crate::squashfs::archive::Archive;
use crate::squashfs::damage::damaged;
use crate::squashfs::inode::Node;
use crate::squashfs::metadata::{Cursor, Fields, Position};
use crate::squashfs::table::Table;

/// Set if the value is stored elsewhere, because several files share it.
const ELSEWHERE: u16 = 0x100;
/// Linux accepts no longer values.
const VALUE_MAX_BYTES: usize = 64 * 1024;

/// An extended attribute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Xattr {
    /// The name with its prefix, such as `user.origin`.
    pub name: Vec<u8>,
    /// Its value.
    pub value: Vec<u8>,
}

impl Archive {
    pub(super) async fn xattrs(&self, node: &Node) -> Result<Vec<Xattr>> {
        let Some((index, pointers)) = node.xattrs.zip(self.superblock.xattr_table) else {
            return Ok(Vec::new());
        };
        let header = self.image.bytes(pointers, 16).await?;
        let mut fields = Fields::new(&header);
        let (values, sets) = (fields.u64()?, fields.u32()?);
        let table = Table {
            name: "set of extended attributes",
            pointers: pointers + 16,
            count: sets.into(),
        };
        let set: [u8; 16] = table.record(&self.image, index.into()).await?;
        let mut fields = Fields::new(&set);
        let (reference, count) = (fields.u64()?, fields.u32()?);
        let mut cursor = Cursor::new(Position::of_reference(values, reference)?);
        let (mut xattrs, mut len_bytes) = (Vec::new(), 0);
        for _ in 0..count {
            let xattr = self.xattr(&mut cursor, values).await?;
            len_bytes += xattr.name.len() + xattr.value.len();
            if len_bytes > ARCHIVE_XATTRS_MAX_BYTES {
                return Err(damaged("a file has too many extended attributes"));
            }
            xattrs.push(xattr);
        }
        Ok(xattrs)
    }

    async fn xattr(&self, cursor: &mut Cursor, values: u64) -> Result<Xattr> {
        let key: [u8; 4] = cursor.take(&self.image).await?;
        let mut fields = Fields::new(&key);
        let (kind, len_bytes) = (fields.u16()?, fields.u16()?);
        let prefix: &[u8] = match kind & !ELSEWHERE {
            0 => b"user.",
            1 => b"trusted.",
            2 => b"security.",
            _ => return Err(damaged("an extended attribute is of an unknown type")),
        };
        let name = cursor.take_vec(&self.image, len_bytes.into()).await?;
        let name = [prefix, &name].concat();
        let mut value = self.value(cursor).await?;
        if kind & ELSEWHERE != 0 {
            let reference = value
                .first_chunk()
                .map(|bytes| u64::from_le_bytes(*bytes))
                .ok_or_else(|| damaged("an extended attribute's value is cut short"))?;
            value =
                self.value(&mut Cursor::new(Position::of_reference(values, reference)?)).await?;
        }
        Ok(Xattr { name, value })
    }

    async fn value(&self, cursor: &mut Cursor) -> Result<Vec<u8>> {
        let len_bytes = u32::from_le_bytes(cursor.take(&self.image).await?) as usize;
        if len_bytes > VALUE_MAX_BYTES {
            return Err(damaged(format!("an extended attribute claims {len_bytes} bytes")));
        }
        cursor.take_vec(&self.image, len_bytes).await
    }
}
