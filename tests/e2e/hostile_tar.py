"""Prints archives that no one should take, as JSON: what each is, and its bytes in base64."""

import base64
import gzip
import io
import json
import tarfile


def archive(*entries, form=tarfile.PAX_FORMAT):
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=form) as tar:
        good = tarfile.TarInfo("good")
        good.size = 4
        tar.addfile(good, io.BytesIO(b"good"))
        for name, kind, link, content in entries:
            info = tarfile.TarInfo(name)
            info.type, info.linkname, info.size = kind, link, len(content)
            tar.addfile(info, io.BytesIO(content))
    return buffer.getvalue()


FILE, DIR, LINK, HARD = tarfile.REGTYPE, tarfile.DIRTYPE, tarfile.SYMTYPE, tarfile.LNKTYPE
evil = lambda name: (name, FILE, "", b"evil")
long = "d/" * 120
whole = archive(evil("x"))
found = {
    "absolute": archive(evil("/etc/evil")),
    "parent": archive(evil("../evil")),
    "parent in the middle": archive(evil("a/../../evil")),
    "parent, long name": archive(evil(long + "../" * 130 + "evil")),
    "parent, GNU long name": archive(evil(long + "../" * 130 + "evil"), form=tarfile.GNU_FORMAT),
    "newline": archive(evil("a\n../../evil")),
    "quotes": archive(evil('a" -> "../../evil')),
    "behind a link": archive(("s", LINK, "/etc", b""), evil("s/evil")),
    "behind a link to a link": archive(("s", LINK, "..", b""), ("t", LINK, "s", b""), evil("t/evil")),
    "directory over link": archive(("evil", LINK, "/etc", b""), ("evil", DIR, "", b"")),
    "hard link absolute": archive(("evil", HARD, "/etc/passwd", b"")),
    "hard link parent": archive(("evil", HARD, "../../etc/passwd", b"")),
    "hard link behind link": archive(("s", LINK, "/etc", b""), ("evil", HARD, "s/passwd", b"")),
    "hard link to what is there": archive(("evil", HARD, "kept", b"")),
    "device": archive(("evil", tarfile.CHRTYPE, "", b"")),
    "block device": archive(("evil", tarfile.BLKTYPE, "", b"")),
    "fifo": archive(("evil", tarfile.FIFOTYPE, "", b"")),
    "way link": archive(("etc", DIR, "", b""), evil("etc/evil")),
    "way file": archive(evil("kept/evil")),
    "broken cut": whole[:700],
    "broken at an entry": whole[:1024],
    "broken gzip": gzip.compress(whole),
    "broken text": b"evil" * 1000,
}
# Only a header: it declares a sparse file larger than any disk.
claim = io.BytesIO()
with tarfile.open(fileobj=claim, mode="w", format=tarfile.PAX_FORMAT) as tar:
    info = tarfile.TarInfo("evil")
    info.pax_headers = {"GNU.sparse.major": "1", "GNU.sparse.minor": "0", "GNU.sparse.name": "evil", "GNU.sparse.realsize": str(1 << 62)}
    content = b"1\n0\n0\n".ljust(512, b"\0")
    info.size = len(content)
    tar.addfile(info, io.BytesIO(content))
found["large sparse"] = claim.getvalue()
print(json.dumps({what: base64.b64encode(data).decode() for what, data in found.items()}))
