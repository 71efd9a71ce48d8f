//! Tar archives written by hand.

/// An entry that says what the test wants it to say.
#[derive(Debug, Clone)]
pub struct Member {
    pub name: Vec<u8>,
    pub kind: u8,
    pub target: Vec<u8>,
    pub mode: u32,
    pub content: Vec<u8>,
    /// Instead of the content's length.
    pub size: Option<u64>,
}

pub fn member(kind: u8, name: &str) -> Member {
    Member {
        name: name.as_bytes().to_vec(),
        kind,
        target: Vec::new(),
        mode: 0o644,
        content: Vec::new(),
        size: None,
    }
}

pub fn file(name: &str, content: &[u8]) -> Member {
    Member { content: content.to_vec(), ..member(b'0', name) }
}

pub fn dir(name: &str) -> Member {
    Member { mode: 0o755, ..member(b'5', name) }
}

pub fn link(kind: u8, name: &str, target: &str) -> Member {
    Member { target: target.as_bytes().to_vec(), ..member(kind, name) }
}

/// A pax header with these records, before what it describes.
pub fn pax(kind: u8, records: &[(&str, &[u8])]) -> Member {
    let mut content = Vec::new();
    for (key, value) in records {
        let rest = key.len() + value.len() + 3;
        let length = (rest..).find(|length| *length == rest + length.to_string().len()).unwrap();
        content.extend(format!("{length} {key}=").into_bytes());
        content.extend(*value);
        content.push(b'\n');
    }
    Member { content, ..member(kind, "PaxHeaders/x") }
}

pub fn bytes_of(member: &Member) -> Vec<u8> {
    let mut block = vec![0_u8; 512];
    let mut put = |at: usize, bytes: &[u8]| block[at..at + bytes.len()].copy_from_slice(bytes);
    put(0, &member.name[..member.name.len().min(100)]);
    put(100, format!("{:07o}", member.mode).as_bytes());
    put(108, format!("{:07o}", 1000).as_bytes());
    put(116, format!("{:07o}", 1001).as_bytes());
    let size = member.size.unwrap_or(member.content.len() as u64);
    if size < 1 << 33 {
        put(124, format!("{size:011o}").as_bytes());
    } else {
        put(124, &[0x80, 0, 0, 0]);
        put(128, &size.to_be_bytes());
    }
    put(136, format!("{:011o}", 1_234_567_890).as_bytes());
    put(148, b"        ");
    put(156, &[member.kind]);
    put(157, &member.target[..member.target.len().min(100)]);
    put(257, b"ustar\x0000");
    let sum: u32 = block.iter().map(|byte| u32::from(*byte)).sum();
    block[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    block.extend(&member.content);
    block.resize(block.len().next_multiple_of(512), 0);
    block
}

pub fn tar(members: &[Member]) -> Vec<u8> {
    let mut bytes: Vec<u8> = members.iter().flat_map(bytes_of).collect();
    bytes.extend([0; 1024]);
    bytes
}
