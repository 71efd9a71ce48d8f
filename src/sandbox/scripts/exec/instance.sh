# shellcheck shell=sh
# instance.sh DIR ID RECORDED START DIRS BUNDLE: prints the id of this disk, then the identity of this start of its container. If
# DIRS, the workspace's directories, is not empty, a new container's image is noted (machine/list.sh). If BUNDLE is not
# empty, that file gets the image's certificates, and the one of the platform, which decrypts what leaves the container.
#
# The kernel's boot, the process namespace and the start time of the first process identify a start. RECORDED is the
# disk that was recorded for the start START; both are empty if none was. If this is the start START, the disk is
# RECORDED, even if the id in DIR was changed or removed. A disk without an id gets ID. It gets none, with exit status
# 25, if ID is empty, or if a disk was recorded and this start cannot be identified.
#
# The file is linked only once its content is complete, and linking fails if the file exists. So one of several
# concurrent callers decides, and no reader sees half an id.
set -eu
umask 077
# find_start: prints the start, or fails. The name of the first process may hold anything; the fields after it begin
# after the last parenthesis.
find_start() {
  read -r boot </proc/sys/kernel/random/boot_id && namespace=$(readlink /proc/self/ns/pid) && first=$(cat /proc/1/stat) || return
  # shellcheck disable=SC2086 # words on purpose
  set -- ${first##*)}
  echo "$boot/$namespace/${20}"
}
start=$(find_start 2>/dev/null) || start=

id=$2
if [ -n "$3" ] && [ -z "$start" ]; then id=; fi
if [ -n "$3" ] && [ -n "$start" ] && [ "$start" = "$4" ]; then
  id=$3
  # A command may have put a pipe there.
  if [ ! -f "$1/instance" ] || [ "$(head -c 100 -- "$1/instance" | tr -d '\0')" != "$id" ]; then rm -rf -- "$1/instance"; fi
fi
if [ ! -f "$1/instance" ]; then
  [ -n "$id" ] || exit 25
  mkdir -p -- "$1"
  printf '%s\n' "$id" >"$1/instance.$$"
  ln -- "$1/instance.$$" "$1/instance" 2>/dev/null || [ -f "$1/instance" ]
  rm -f -- "$1/instance.$$"
fi
chmod 700 -- "$1"
if [ -n "${6:-}" ] && [ ! -f "$6" ]; then
  ca=${6%/*}/cloudflare-containers-ca.crt waits=50
  # The platform writes the certificate while the container starts.
  while [ ! -s "$ca" ] && [ $waits -gt 0 ]; do
    sleep 0.1
    waits=$((waits - 1))
  done
  for known in /etc/ssl/certs/ca-certificates.crt /etc/pki/tls/certs/ca-bundle.crt /etc/ssl/cert.pem; do
    if [ -f "$known" ]; then break; fi
  done
  if [ -f "$known" ]; then cat -- "$known" "$ca" >"$6.$$"; else cat -- "$ca" >"$6.$$"; fi
  chmod 644 -- "$6.$$"
  mv -- "$6.$$" "$6"
fi
# In a container whose start is not recorded, no caller's command has run yet. If noting the image fails, so does the
# start, which is tried again: later, nothing distinguishes the image from what commands changed.
if [ -n "${5:-}" ] && [ -n "$2" ] && [ -z "$3" ] && [ ! -e "$1/machine" ] && lists_images; then
  note_image "$1" '' "$5" >&2
fi
cat -- "$1/instance"
printf '%s\n' "$start"
