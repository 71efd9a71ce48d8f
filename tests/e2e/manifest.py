"""Prints every entry under a directory, itself included, so that two trees are equal when the texts are.

One line an entry: type, mode, owner, group, size, mtime in whole seconds (SquashFS keeps no more), path, what it is:
the target of a link, the SHA-256 of a file; and for files with several names, the first of them.
A large tree is shown as one hash for each directory at its top, because the output of a command is limited.
"""

import hashlib
import os
import stat
import sys
import urllib.parse

TYPES = {stat.S_IFDIR: "d", stat.S_IFREG: "f", stat.S_IFLNK: "l", stat.S_IFIFO: "p", stat.S_IFSOCK: "s"}
SHOWN_AT_MOST = 4000


def main(root):
    lines = [(b".", entry(root, b".", {}))]
    links = {}
    for directory, names, files in os.walk(root, onerror=fail):
        names.sort()
        for name in sorted(names + files):
            path = os.path.join(directory, name)
            shown = os.path.relpath(path, root)
            lines.append((shown, entry(path, shown, links)))
    lines.sort()
    if len(lines) <= SHOWN_AT_MOST:
        print("\n".join(line for _, line in lines))
        return
    groups = {}
    for path, line in lines:
        count, digest = groups.setdefault(path.split(b"/")[0], [0, hashlib.sha256()])
        groups[path.split(b"/")[0]][0] = count + 1
        digest.update(line.encode() + b"\n")
    for path, (count, digest) in groups.items():
        print(f"{quoted(path)}: {count} entries, {digest.hexdigest()}")


def fail(error):
    raise error


def entry(path, shown, links):
    info = os.lstat(path)
    kind = TYPES.get(stat.S_IFMT(info.st_mode), "?")
    # The size of a directory depends on the file system.
    size = "-" if kind == "d" else info.st_size
    fields = [kind, f"{stat.S_IMODE(info.st_mode):04o}", info.st_uid, info.st_gid, size, info.st_mtime_ns // 10**9, quoted(shown)]
    if kind == "l":
        fields.append("-> " + quoted(os.readlink(path)))
    if kind == "f":
        fields.append(sha256(path))
        if info.st_nlink > 1:
            fields.append("= " + links.setdefault(info.st_ino, f"{quoted(shown)} ({info.st_nlink})"))
    return " ".join(str(field) for field in fields)


def quoted(name):
    return urllib.parse.quote(name)


def sha256(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


main(os.fsencode(sys.argv[1]))
