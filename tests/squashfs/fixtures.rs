//! Backups that the real `@cloudflare/sandbox` 0.12 made.

use crate::support::ranges::MemoryRanges;
use crate::support::squashfs;
use futures::executor::block_on;
use sha2::{Digest, Sha256};
use snapshotter::squashfs::{Cache, Node, NodeKind};
use std::path::Path;
use std::rc::Rc;

const FIXTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/sandbox-sdk-0.12.10");

/// A line as the manifest has it. Sizes of directories are not comparable.
fn line(path: &str, node: &Node) -> String {
    let (kind, size, target) = match &node.kind {
        NodeKind::Directory => ("d", "-".to_owned(), String::new()),
        NodeKind::File { size_bytes } => ("f", size_bytes.to_string(), String::new()),
        NodeKind::Symlink { target } => {
            ("l", target.len().to_string(), String::from_utf8(target.clone()).unwrap())
        }
        other => panic!("{path} is {other:?}"),
    };
    format!("{kind} {:o} {size} {} {path} {target}", node.mode, node.modified_at_secs)
}

fn manifest() -> (Vec<String>, Vec<String>) {
    let text = std::fs::read_to_string(Path::new(FIXTURES).join("manifest.txt")).unwrap();
    let (hashes, nodes): (Vec<_>, Vec<_>) =
        text.lines().map(str::to_owned).partition(|line| line.contains("  ./"));
    let nodes = nodes.iter().map(|line| {
        let mut fields: Vec<_> = line.splitn(5, ' ').map(str::to_owned).collect();
        if fields[0] == "d" {
            fields[2] = "-".to_owned();
        }
        fields[3].truncate("1795296733".len());
        fields.join(" ")
    });
    (nodes.collect(), hashes)
}

async fn listed(bytes: Vec<u8>) -> (Vec<String>, Vec<String>) {
    let cache = Rc::new(Cache::new(8 << 20));
    let archive = squashfs::open(MemoryRanges::new(bytes), cache, "fixture").await.unwrap();
    let root = archive.root().clone();
    let mut nodes = vec![line(".", &root)];
    let mut hashes = Vec::new();
    let mut later = Vec::new();
    let mut walk = archive.walk(&root);
    while let Some((path, node)) = walk.next().await.unwrap() {
        let mut rest = archive.walk_after(&root, &path).await.unwrap();
        later.push((path.clone(), rest.next().await.unwrap().map(|(path, _)| path)));
        let path = format!("./{}", String::from_utf8(path).unwrap());
        assert_eq!(archive.find(path.as_bytes()).await.unwrap(), Some(node.clone()));
        nodes.push(line(&path, &node));
        if let NodeKind::File { size_bytes } = node.kind {
            let bytes = archive.read(&node, 0, size_bytes).await.unwrap();
            hashes.push(format!("{:x}  {path}", Sha256::digest(bytes)));
        }
    }
    for pair in later.windows(2) {
        assert_eq!(pair[0].1.as_ref(), Some(&pair[1].0));
    }
    assert_eq!(later.last().unwrap().1, None);
    (nodes, hashes)
}

#[test]
fn backups_of_the_sdk_are_read_as_their_manifest_says() {
    let expected = manifest();
    let backups = std::fs::read_dir(Path::new(FIXTURES).join("backups")).unwrap();
    let mut count = 0;
    for backup in backups {
        let bytes = std::fs::read(backup.unwrap().path().join("data.sqsh")).unwrap();
        let mut found = block_on(listed(bytes));
        let mut expected = expected.clone();
        [&mut found.0, &mut expected.0, &mut found.1, &mut expected.1]
            .into_iter()
            .for_each(|lines| lines.sort());
        assert_eq!(found, expected);
        count += 1;
    }
    assert_eq!(count, 3);
}
