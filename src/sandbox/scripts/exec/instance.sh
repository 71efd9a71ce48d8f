# shellcheck shell=sh
# instance.sh DIR ID RECORDED START: prints which disk this is, and which start of its container.
#
# The start is told by the kernel's boot and the container's first process. RECORDED is the disk that start START was
# recorded with, both empty if none was: where the start is that one, the disk is too, whatever has become of its name in
# DIR. A disk without a name gets ID. Where ID is empty, or this may be the recorded start and can't be told, it gets
# none: exit status 25.
#
# The name is linked only once the content is there, and linking fails where the name exists:
# of any number of callers one decides, and no reader sees half an id.
set -eu
umask 077
# find_start: prints it, or fails. The first process has a name that may hold anything; what follows it begins after the
# last parenthesis.
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
  if [ "$(cat -- "$1/instance" 2>/dev/null)" != "$id" ]; then rm -rf -- "$1/instance"; fi
fi
if [ ! -f "$1/instance" ]; then
  [ -n "$id" ] || exit 25
  mkdir -p -- "$1"
  printf '%s\n' "$id" >"$1/instance.$$"
  ln -- "$1/instance.$$" "$1/instance" 2>/dev/null || [ -f "$1/instance" ]
  rm -f -- "$1/instance.$$"
fi
chmod 700 -- "$1"
cat -- "$1/instance"
printf '%s\n' "$start"
