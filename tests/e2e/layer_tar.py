"""Prints archives as JSON, each in base64: a layer of an OCI image, and what no one should take."""

import base64
import io
import json
import tarfile


def archive(*entries):
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for name, kind, content, mode in entries:
            info = tarfile.TarInfo(name)
            info.type, info.size, info.mode, info.mtime = kind, len(content), mode, 1234567890
            info.uid, info.gid = 1000, 1001
            tar.addfile(info, io.BytesIO(content))
    return buffer.getvalue()


def attributed(*entries):
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for name, kind, attributes in entries:
            info = tarfile.TarInfo(name)
            info.type, info.mode = kind, 0o755
            info.pax_headers = {f"SCHILY.xattr.{key}": value for key, value in attributes.items()}
            tar.addfile(info)
    return buffer.getvalue()


FILE, DIR = tarfile.REGTYPE, tarfile.DIRTYPE
found = {
    "layer": archive(
        ("etc/", DIR, b"", 0o755), ("etc/.wh.gone", FILE, b"", 0o644), ("etc/kept", FILE, b"kept", 0o640),
        ("opt/", DIR, b"", 0o755), ("opt/.wh..wh..opq", FILE, b"", 0o644), ("opt/tool", FILE, b"#!/bin/sh\n", 0o4755),
    ),
    "attributes": attributed(
        ("d", DIR, {"user.dir": "x"}),
        ("d/f", FILE, {"user.a": "1=\n", "user.empty": "", "trusted.overlay.opaque": "y", "security.capability": "abc"}),
    ),
    "whiteout directory": archive((".wh.evil/", DIR, b"", 0o755)),
}
print(json.dumps({what: base64.b64encode(data).decode() for what, data in found.items()}))
