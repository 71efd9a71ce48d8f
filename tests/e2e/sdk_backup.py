"""A directory as a tar archive of the Sandbox SDK 1.0, written here byte by byte, and the same directory in a file system.

sdk_backup.py tar: prints the archive, not compressed. sdk_backup.py tree DIR: makes what a restore of it has to make.

The archive is as docs/decisions/sdk-backups.md says: ustar headers; the directory itself first, as "./"; each directory
before what is in it, in the order of bytes. A pax header without a name has what the header's fields have no room for, and
fractions of a second. A name that is too long is cut in its field. Owners that are too large are in base 256.
"""

import os
import sys

FAR = b"d" * 150 + b"/" + b"e" * 120
SECONDS, FRACTION = 1500000000, 123456789

# Path: type, mode, owner, group, fraction of the mtime in ns, and the content or target.
TREE = {
    b"": ("5", 0o755, 0, 0, FRACTION, b""),
    b"a b": ("5", 0o750, 1000, 1001, 0, b""),
    b"a b/file": ("0", 0o640, 1000, 1001, FRACTION, b"one\n"),
    b"a b/setuid": ("0", 0o4755, 0, 0, 0, b"#!/bin/sh\n"),
    b"again": ("1", 0o640, 1000, 1001, FRACTION, b"a b/file"),
    b"empty": ("5", 0o1777, 0, 0, FRACTION, b""),
    b"D" * 100: ("5", 0o700, 0, 0, 0, b""),
    b"x" * 100: ("0", 0o600, 0, 0, 0, b"a name that fills its field"),
    b"d" * 150: ("5", 0o755, 0, 0, 0, b""),
    FAR: ("5", 0o755, 0, 0, FRACTION, b""),
    FAR + b"/file": ("0", 0o644, 0, 0, 0, b"far below\n"),
    b"link to far": ("1", 0o644, 0, 0, 0, FAR + b"/file"),
    b"new\nline" + b"y" * 110: ("0", 0o644, 0, 0, 0, b"two\n"),
    b"odd\xff": ("0", 0o644, 0, 0, 0, b"three\n"),
    b"odd\xfe" + b"z" * 110: ("0", 0o644, 0, 0, FRACTION, b"four\n"),
    b"out": ("2", 0o777, 1000, 1001, FRACTION, b"/etc/passwd"),
    b"out of sight": ("2", 0o777, 0, 0, 0, b"t" * 150),
    b"owned": ("0", 0o644, 4000000000, 3000000, 0, b"five\n"),
    b"zeros": ("0", 0o644, 0, 0, 0, bytes(100000)),
}


def ordered():
    return sorted(TREE.items(), key=lambda item: item[0].split(b"/") if item[0] else [])


def number(value, size):
    if value < 8 ** (size - 1):
        return b"%0*o\0" % (size - 1, value)
    return b"\x80" + value.to_bytes(size - 1, "big")


def header(name, kind, mode=0, uid=0, gid=0, size=0, mtime=0, link=b""):
    def block(checksum):
        fields = [
            name[:100].ljust(100, b"\0"), number(mode, 8), number(uid, 8), number(gid, 8), number(size, 12), number(mtime, 12),
            checksum, kind.encode(), link[:100].ljust(100, b"\0"), b"ustar\x0000",
        ]
        return b"".join(fields).ljust(512, b"\0")

    return block(b"%06o\0 " % sum(block(b" " * 8)))


def record(key, value):
    rest = b" " + key + b"=" + value + b"\n"
    length = len(rest)
    while len(b"%d" % length) + len(rest) != length:
        length = len(b"%d" % length) + len(rest)
    return b"%d" % length + rest


def padded(content):
    return content + bytes(-len(content) % 512)


def archive():
    for path, (kind, mode, uid, gid, fraction, content) in ordered():
        name = (path + b"/" if path else b"./") if kind == "5" else path
        data, link = (content, b"") if kind == "0" else (b"", content)
        pax = []
        if fraction:
            pax.append((b"mtime", b"%d.%09d" % (SECONDS, fraction)))
        long = [(key, value) for key, value in ((b"path", name), (b"linkpath", link)) if len(value) > 100]
        pax += long
        if long and any(not is_text(value) for value in (name, link)):
            pax.append((b"hdrcharset", b"BINARY"))
        if pax:
            records = b"".join(record(key, value) for key, value in pax)
            yield header(b"", "x", size=len(records)) + padded(records)
        yield header(name, kind, mode, uid, gid, len(data), SECONDS, link) + padded(data)
    yield bytes(1024)


def is_text(value):
    try:
        value.decode()
        return True
    except UnicodeDecodeError:
        return False


def make(root):
    for path, (kind, _, _, _, _, content) in ordered():
        at = os.path.join(root, path)
        if kind == "5":
            os.makedirs(at, exist_ok=True)
        elif kind == "2":
            os.symlink(content, at)
        elif kind == "1":
            os.link(os.path.join(root, content), at)
        else:
            with open(at, "wb") as file:
                file.write(content)
    for path, (kind, mode, uid, gid, fraction, _) in reversed(ordered()):
        at = os.path.join(root, path) if path else root
        os.chown(at, uid, gid, follow_symlinks=False)
        if kind != "2":
            # A restore drops setuid and setgid bits.
            os.chmod(at, mode & 0o1777)
        time = SECONDS * 10**9 + fraction
        os.utime(at, ns=(time, time), follow_symlinks=False)


if sys.argv[1] == "tar":
    for part in archive():
        sys.stdout.buffer.write(part)
else:
    make(os.fsencode(sys.argv[2]))
