#!/usr/bin/env bash
# The OCI runtime of the engine that tools/with-engine starts: runc. A container whose image has the variable
# SNAPSHOTTER_FUSE=1 also gets /dev/fuse and the right to mount, as containers on Cloudflare have them. All other
# containers are as runc makes them. It runs with the host's own PATH, and apart from the clone that started the engine.
set -euo pipefail

# The word after the option $1 or $2 among the others.
after() {
  local long=$1 short=$2
  shift 2
  while (($# > 1)); do
    if [[ $1 == "$long" || $1 == "$short" ]]; then
      printf '%s' "$2"
      return
    fi
    shift
  done
}

bundle=$(after --bundle -b "$@")
process=$(after --process -p "$@")
if [[ $bundle ]] && grep -q '"SNAPSHOTTER_FUSE=1"' "$bundle/config.json"; then
  python3 - "$bundle/config.json" <<'PYTHON'
import json, sys

file = sys.argv[1]
with open(file) as opened:
    spec = json.load(opened)
for name in ["bounding", "effective", "permitted"]:
    spec["process"]["capabilities"].setdefault(name, []).append("CAP_SYS_ADMIN")
linux = spec["linux"]
# The engine's filter allows mount only with the capability that the engine knows of.
linux.pop("seccomp", None)
spec["process"].pop("apparmorProfile", None)
device = {"type": "c", "major": 10, "minor": 229}
linux.setdefault("devices", []).append({"path": "/dev/fuse", "fileMode": 0o666, "uid": 0, "gid": 0, **device})
linux["resources"].setdefault("devices", []).append({"allow": True, "access": "rwm", **device})
with open(file, "w") as opened:
    json.dump(spec, opened)
PYTHON
  : >"$bundle/snapshotter-fuse"
fi
# A later command of such a container. The shim runs in its bundle, which nothing in the container can write.
if [[ $process && -e snapshotter-fuse ]]; then
  python3 - "$process" <<'PYTHON'
import json, sys

with open(sys.argv[1]) as opened:
    process = json.load(opened)
process.pop("apparmorProfile", None)
for name in ["bounding", "effective", "permitted"] if process.get("user", {}).get("uid", 0) == 0 else ["bounding"]:
    process.setdefault("capabilities", {}).setdefault(name, []).append("CAP_SYS_ADMIN")
with open(sys.argv[1], "w") as opened:
    json.dump(process, opened)
PYTHON
fi
exec runc "$@"
