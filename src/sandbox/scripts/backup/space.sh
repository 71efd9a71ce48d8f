# shellcheck shell=sh
# Comes before the scripts that store something large in the sandbox's own directory. A part of the disk is not for them:
# the session's programs must not find it full because of a snapshot or an import.

# measure DIR: sets free_kib to what is free on the disk of DIR, kept_kib to what of that is not for us, and spare_kib to
# the rest.
measure() {
  # shellcheck disable=SC2046 # two numbers
  set -- $(df -k --output=size,avail -- "$1" | tail -n 1)
  kept_kib=$(($1 / 50))
  [ "$kept_kib" -le 131072 ] || kept_kib=131072
  free_kib=$2
  spare_kib=$((free_kib - kept_kib))
  [ "$spare_kib" -gt 0 ] || spare_kib=0
}

# mib KIB: in MiB, rounded up.
mib() { echo "$((($1 + 1023) / 1024)) MiB"; }

# how_full DIR: says how full the disk of DIR is.
how_full() {
  measure "$1"
  echo "$(mib "$free_kib") of the disk are free, and $(mib "$kept_kib") of it are kept for other programs"
}

# begin_import DIR MAX_IMPORTS: makes DIR, to work in, unless others have as many. One that is at work has its directory
# locked. What was left goes: directories of those that were killed, and uploads to which nothing was added for an hour.
begin_import() {
  own=${1%/*}
  exec 7<"$own"
  flock 7
  others=0
  for left in "$own"/import-*; do
    [ -d "$left" ] || continue
    if flock --nonblock "$left" true; then rm -rf -- "$left"; else others=$((others + 1)); fi
  done
  drop_old_uploads "$own"
  [ "$others" -lt "$2" ] || fail 23 "$others other imports are at work"
  mkdir -m 700 -- "$1"
  exec 8<"$1"
  flock 8
  exec 7<&-
}

# drop_old_uploads OWN: removes uploads to which nothing was added for an hour. One that is being imported is locked.
drop_old_uploads() {
  find "$1" -mindepth 1 -maxdepth 1 -type d -name 'upload-*' -mmin +60 -exec flock --nonblock '{}' rm -rf -- '{}' ';' || true
}

# store FILE MAX_BYTES: stores standard input as FILE. Stops where it is larger, where the disk gets full, and where
# nothing arrives for a minute: who sends it is gone then, although the stream has not ended. Sets size, or fails.
store() {
  measure "${1%/*}"
  most=$((spare_kib * 1024))
  [ "$most" -gt 0 ] || fail 26 "the archive does not fit on the disk: $(how_full "${1%/*}")"
  [ "$most" -le "$2" ] || most=$2
  # What runs in the background has no standard input of its own accord.
  exec 4<&0
  head -c "$((most + 1))" <&4 >"$1" &
  storing=$!
  exec 4<&-
  watch_store "$1" >/dev/null 2>&1 </dev/null &
  watching=$!
  stored=yes
  wait "$storing" || stored=no
  storing=
  stop_storing
  size=$(stat -c %s -- "$1")
  [ "$size" -le "$2" ] || fail 13 "the archive is larger than $2 bytes"
  [ ! -e "$1.stalled" ] || fail 15 "nothing more of the archive arrived for 60 s"
  if [ "$stored" = no ] || [ "$size" -gt "$most" ]; then
    rm -f -- "$1"
    fail 26 "the archive does not fit on the disk: $(how_full "${1%/*}")"
  fi
}

watch_store() {
  last=-1 silent=0
  while sleep 1 && kill -0 "$storing"; do
    now=$(stat -c %s -- "$1")
    measure "${1%/*}"
    silent=$((silent + 1))
    [ "$now" = "$last" ] || silent=0
    last=$now
    if [ "$silent" -ge 60 ]; then : >"$1.stalled"; fi
    if [ "$silent" -ge 60 ] || [ "$spare_kib" -eq 0 ]; then kill "$storing"; return; fi
  done
}

storing=
watching=

stop_storing() {
  # They may have ended by themselves.
  [ -z "$storing" ] || kill "$storing" 2>/dev/null || true
  [ -z "$watching" ] || kill "$watching" 2>/dev/null || true
  watching=
}
