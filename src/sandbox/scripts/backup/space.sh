# shellcheck shell=sh
# Precedes the scripts that store something large in the sandbox's own directory. They leave a part of the disk free: a
# snapshot or an import must not fill the disk of the session's programs.

# measure DIR: sets free_kib to the free room on the disk of DIR, kept_kib to the part of it to leave free, and
# spare_kib to the rest.
measure() {
  # shellcheck disable=SC2046 # two numbers
  set -- $(df -k --output=size,avail -- "$1" | tail -n 1)
  kept_kib=$(($1 / 50))
  [ "$kept_kib" -le 131072 ] || kept_kib=131072
  free_kib=$2
  spare_kib=$((free_kib - kept_kib))
  [ "$spare_kib" -gt 0 ] || spare_kib=0
}

# mib KIB: prints KIB in MiB, rounded up.
mib() { echo "$((($1 + 1023) / 1024)) MiB"; }

# how_full DIR: prints how full the disk of DIR is.
how_full() {
  measure "$1"
  echo "$(mib "$free_kib") of the disk are free, and $(mib "$kept_kib") of it are kept for other programs"
}

# begin_import DIR MAX_IMPORTS: makes and locks the work directory DIR. Fails if MAX_IMPORTS other imports are at work.
# Removes leftovers: work directories without a lock, whose imports were killed, and old uploads.
begin_import() {
  own=${1%/*}
  exec 7<"$own"
  flock --wait 60 7 || fail 23 "another import is at work"
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

# drop_old_uploads OWN: removes uploads that got no part for an hour, unless they are being imported, and so locked.
drop_old_uploads() {
  find "$1" -mindepth 1 -maxdepth 1 -type d -name 'upload-*' -mmin +60 -exec flock --nonblock '{}' rm -rf -- '{}' ';' || true
}

# store FILE MAX_BYTES: stores standard input as FILE. Sets size, or fails: if the input exceeds MAX_BYTES, if the disk
# gets full, or if no byte arrives for a minute, because the sender is gone although the stream has not ended.
store() {
  measure "${1%/*}"
  most=$((spare_kib * 1024))
  [ "$most" -gt 0 ] || fail 26 "the archive does not fit on the disk: $(how_full "${1%/*}")"
  [ "$most" -le "$2" ] || most=$2
  # A background command does not inherit standard input.
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
  # These processes may have ended already.
  [ -z "$storing" ] || kill "$storing" 2>/dev/null || true
  [ -z "$watching" ] || kill "$watching" 2>/dev/null || true
  watching=
}
