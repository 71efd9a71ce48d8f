//! Files of the workspace or of a snapshot: `ls`, `cat`, `grep` and `cp`.

use super::selectors::SNAPSHOT_HELP;
use crate::api::{Call, answer, operations as op, read};
use crate::error::Error;
use crate::output::format::{count, size};
use crate::remote::Remote;
use anstyle::Style;
use base64::Engine as _;
use clap::Args;
use serde::Deserialize;
use std::io::{self, Write};

answer! {
    /// Files of a workspace or a snapshot.
    pub struct ListedFiles { entries: Vec<ListedEntry>, next_cursor: Option<String> }

    /// A file.
    pub struct ListedEntry { mode: String, modified_at: String, path: String, size_bytes: u64, r#type: String }

    /// A part of a file.
    pub struct SeenReadFileResult { content: String, encoding: String, next_offset: Option<u64> }

    /// Lines of a workspace.
    pub struct SeenFoundLineList { lines: Vec<FoundLine>, next_cursor: Option<String> }

    /// Lines of a snapshot.
    pub struct SearchedSnapshot { lines: Vec<FoundLine>, next_cursor: Option<String> }

    /// A line.
    pub struct FoundLine { path: String, line: Option<u64>, text: String, matches: bool }

    /// What was copied from a snapshot.
    pub struct CopiedFiles { workspace_id: String, files: u64, directories: u64, links: u64, size_bytes: u64, skipped: u64 }

    /// What was copied from a workspace, or imported.
    pub struct ImportedTar { workspace_id: String, files: u64, directories: u64, links: u64, size_bytes: u64 }
}

/// How many bytes one call reads. The server allows 2 MiB.
const READ_BYTES: u64 = 1 << 20;

/// The workspace or snapshot to look in.
#[derive(Debug, Args)]
struct Place {
    #[arg(long, short = 'S', value_name = "SNAPSHOT", help = format!("Look in a snapshot. {SNAPSHOT_HELP}"))]
    snapshot: Option<String>,
    /// Look in this workspace [default: the active one]
    #[arg(long, short, value_name = "ID", conflicts_with = "snapshot")]
    workspace: Option<String>,
}

/// The selector of a workspace.
pub fn in_workspace(id: impl AsRef<str>) -> String {
    format!("workspace:{}", id.as_ref())
}

/// List files of the workspace, or of a snapshot
#[derive(Debug, Args)]
pub struct Ls {
    /// The directory [default: the workspace's]
    path: Option<String>,
    #[command(flatten)]
    place: Place,
    /// List directories recursively
    #[arg(long, short = 'R')]
    recursive: bool,
    /// Include names that begin with a dot
    #[arg(long, short)]
    all: bool,
    /// At most this many
    #[arg(long, value_name = "N")]
    limit: Option<u64>,
    /// Continue after this cursor of an earlier list
    #[arg(long, value_name = "CURSOR")]
    cursor: Option<String>,
}

impl Ls {
    /// Runs the command.
    pub fn run(self, remote: &Remote) -> Result<(), Error> {
        let session = remote.session()?;
        if let Some(snapshot) = self.place.snapshot {
            use op::list_snapshot_files::query;
            let call = op::list_snapshot_files::call(session, &snapshot)?
                .doing("Listing files")
                .query(query::PATH, self.path)
                .flag(query::RECURSIVE, self.recursive)
                .query(query::LIMIT, self.limit)
                .query(query::CURSOR, self.cursor);
            return remote.show(&call, |out, answer| {
                let mut page: ListedFiles = read(answer)?;
                // The route always lists hidden files.
                page.entries.retain(|entry| self.all || !is_hidden(&entry.path));
                out.table(TITLES, page.entries.into_iter().map(row).collect())?;
                out.more(page.next_cursor.as_deref())
            });
        }
        use op::workspace_ls::field;
        let call = op::workspace_ls::call(session)?
            .doing("Listing files")
            .field(field::PATH, self.path)
            .field_flag(field::RECURSIVE, self.recursive)
            .field(field::INCLUDE_HIDDEN, self.all)
            .field(field::LIMIT, self.limit)
            .field(field::CURSOR, self.cursor)
            .field(field::AT, self.place.workspace.map(in_workspace));
        remote.show(&call, |out, answer| {
            let files: ListedFiles = read(answer)?;
            out.table(TITLES, files.entries.into_iter().map(row).collect())?;
            out.more(files.next_cursor.as_deref())
        })
    }
}

const TITLES: [&str; 5] = ["TYPE", "MODE", "SIZE", "CHANGED", "PATH"];

fn row(entry: ListedEntry) -> [String; 5] {
    let size = if entry.r#type == "file" { size(entry.size_bytes) } else { String::new() };
    [entry.r#type, entry.mode, size, entry.modified_at, entry.path]
}

fn is_hidden(path: &str) -> bool {
    path.split('/').any(|name| name.starts_with('.'))
}

/// Print a file of the workspace, or of a snapshot
#[derive(Debug, Args)]
pub struct Cat {
    /// The file
    path: String,
    #[command(flatten)]
    place: Place,
}

impl Cat {
    /// Runs the command.
    pub fn run(self, remote: &Remote) -> Result<(), Error> {
        let mut to = remote.out.others();
        write_file(
            remote,
            &self.path,
            self.place.snapshot.as_deref(),
            self.place.workspace.as_deref(),
            &mut to,
        )?;
        Ok(to.finish()?)
    }
}

/// Streams a file's content to a writer.
pub fn write_file(
    remote: &Remote,
    path: &str,
    snapshot: Option<&str>,
    workspace: Option<&str>,
    to: &mut dyn Write,
) -> Result<(), Error> {
    let session = remote.session()?;
    if let Some(snapshot) = snapshot {
        let call = op::download_snapshot_file::call(session, snapshot)?
            .query(op::download_snapshot_file::query::PATH, Some(path));
        let mut content = remote.client.stream(&call)?;
        copy(&mut content, to)?;
        return Ok(to.flush()?);
    }
    let mut offset = Some(0);
    while let Some(from) = offset {
        use op::workspace_read_file::field;
        let call = op::workspace_read_file::call(session)?
            .field(field::PATH, path)
            .field(field::ENCODING, "base64")
            .field(field::OFFSET, from)
            .field(field::MAX_BYTES, READ_BYTES)
            .field(field::AT, workspace.map(in_workspace));
        let part: SeenReadFileResult = read(&remote.client.json(&call)?)?;
        if part.encoding != "base64" {
            return Err(Error::Answer(format!(
                "the file came as {}, not as base64",
                part.encoding
            )));
        }
        let bytes = base64::engine::general_purpose::STANDARD.decode(&part.content);
        to.write_all(
            &bytes.map_err(|error| Error::Answer(format!("the file is no base64: {error}")))?,
        )?;
        offset = part.next_offset;
    }
    Ok(to.flush()?)
}

/// Copies, and tells a broken connection from an output that can't be written.
fn copy(from: &mut dyn io::Read, to: &mut dyn Write) -> Result<(), Error> {
    let mut buffer = vec![0; 64 << 10];
    loop {
        let count = from
            .read(&mut buffer)
            .map_err(|error| Error::Network(format!("the file broke off: {error}")))?;
        match buffer.get(..count) {
            None | Some([]) => return Ok(()),
            Some(bytes) => to.write_all(bytes)?,
        }
    }
}

/// Find lines in files of the workspace, or of a snapshot. Exits with 1 if no line matches
#[derive(Debug, Args)]
pub struct Grep {
    /// A regular expression
    pattern: String,
    /// The file or directory [default: the workspace's]
    path: Option<String>,
    #[command(flatten)]
    place: Place,
    /// Treat the pattern as plain text
    #[arg(long, short = 'F')]
    fixed: bool,
    /// Ignore case
    #[arg(long, short)]
    ignore_case: bool,
    /// Only files that match, such as '*.py'
    #[arg(long, value_name = "GLOB")]
    glob: Option<String>,
    /// Lines of context around each match
    #[arg(long, short = 'C', value_name = "N")]
    context: Option<u64>,
    /// Include files that .gitignore names
    #[arg(long)]
    ignored: bool,
    /// At most this many lines
    #[arg(long, value_name = "N")]
    limit: Option<u64>,
    /// Continue after this cursor of an earlier search
    #[arg(long, value_name = "CURSOR")]
    cursor: Option<String>,
}

impl Grep {
    /// Runs the command.
    pub fn run(self, remote: &Remote) -> Result<(), Error> {
        let call = self.call(remote)?.doing("Searching");
        let answer = remote.call(&call)?;
        let (lines, next_cursor) = if self.place.snapshot.is_some() {
            let page: SearchedSnapshot = read(&answer)?;
            (page.lines, page.next_cursor)
        } else {
            let page: SeenFoundLineList = read(&answer)?;
            (page.lines, page.next_cursor)
        };
        if remote.out.is_json() {
            remote.out.json(&answer)?;
        } else {
            for line in &lines {
                let mark = if line.matches { ':' } else { '-' };
                let number = line.line.map(|number| format!("{number}{mark}")).unwrap_or_default();
                remote
                    .out
                    .code(&format!("{}{mark}{number}{}", line.path, line.text), Style::new())?;
            }
        }
        if let Some(cursor) = &next_cursor {
            remote.out.note(format!("there may be more: repeat it with --cursor {cursor}"))?;
        }
        if lines.is_empty() && next_cursor.is_none() { Err(Error::Exit(1)) } else { Ok(()) }
    }

    fn call(&self, remote: &Remote) -> Result<Call, Error> {
        let session = remote.session()?;
        if let Some(snapshot) = &self.place.snapshot {
            use op::search_snapshot::query;
            return Ok(op::search_snapshot::call(session, snapshot)?
                .query(query::PATTERN, Some(&self.pattern))
                .query(query::PATH, self.path.as_ref())
                .flag(query::FIXED, self.fixed)
                .flag(query::IGNORE_CASE, self.ignore_case)
                .query(query::GLOB, self.glob.as_ref())
                .query(query::CONTEXT, self.context)
                .flag(query::INCLUDE_IGNORED, self.ignored)
                .query(query::LIMIT, self.limit)
                .query(query::CURSOR, self.cursor.as_ref()));
        }
        use op::workspace_grep::field;
        Ok(op::workspace_grep::call(session)?
            .field(field::PATTERN, self.pattern.as_str())
            .field(field::PATH, self.path.as_deref())
            .field_flag(field::FIXED, self.fixed)
            .field_flag(field::IGNORE_CASE, self.ignore_case)
            .field(field::GLOB, self.glob.as_deref())
            .field(field::CONTEXT, self.context)
            .field_flag(field::INCLUDE_IGNORED, self.ignored)
            .field(field::LIMIT, self.limit)
            .field(field::CURSOR, self.cursor.as_deref())
            .field(field::AT, self.place.workspace.clone().map(in_workspace)))
    }
}

/// Copy files of a snapshot, or of another workspace, into a workspace
#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("source").required(true).args(["snapshot", "from"]))]
pub struct Cp {
    /// Files and directories of the source
    #[arg(required = true)]
    paths: Vec<String>,
    #[arg(long, short = 'S', value_name = "SNAPSHOT", help = format!("Copy from a snapshot. {SNAPSHOT_HELP}"))]
    snapshot: Option<String>,
    /// Copy from this workspace
    #[arg(long, value_name = "ID")]
    from: Option<String>,
    /// Directory to put them into, under their own paths [default: the workspace's]
    #[arg(long, short, value_name = "DIR")]
    to: Option<String>,
    /// Copy into this workspace [default: the active one]
    #[arg(long, short, value_name = "ID")]
    workspace: Option<String>,
}

impl Cp {
    /// Runs the command.
    pub fn run(self, remote: &Remote) -> Result<(), Error> {
        let session = remote.session()?;
        if let Some(from) = &self.from {
            use op::copy_from_workspace::field;
            let call = op::copy_from_workspace::call(session, from)?
                .doing("Copying")
                .field(field::PATHS, self.paths)
                .field(field::TO, self.to)
                .field(field::WORKSPACE, self.workspace);
            return remote
                .show(&call, |out, answer| out.line(read::<ImportedTar>(answer)?.shown("copied")));
        }
        use op::copy_from_snapshot::field;
        let call = op::copy_from_snapshot::call(session)?
            .doing("Copying")
            .field(field::REF_, self.snapshot)
            .field(field::PATHS, self.paths)
            .field(field::TO, self.to)
            .field(field::WORKSPACE, self.workspace);
        remote.show(&call, |out, answer| {
            let copied: CopiedFiles = read(answer)?;
            if copied.skipped > 0 {
                out.note(format!(
                    "{} entries of other types, such as sockets, were left out",
                    copied.skipped
                ))?;
            }
            let CopiedFiles { workspace_id, files, directories, links, size_bytes, .. } = copied;
            out.line(
                ImportedTar { workspace_id, files, directories, links, size_bytes }.shown("copied"),
            )
        })
    }
}

impl ImportedTar {
    /// What was copied, and where to.
    pub fn shown(&self, verb: &str) -> String {
        let what = contents(self.files, self.directories, self.links, self.size_bytes);
        format!("{verb} {what} into workspace {}", self.workspace_id)
    }
}

/// What was copied, in words.
pub fn contents(files: u64, directories: u64, links: u64, bytes: u64) -> String {
    let (files, links) = (count(files, "file"), count(links, "link"));
    format!("{files}, {} and {links} ({})", count(directories, "directory"), size(bytes))
}
