# shellcheck shell=sh
# instance.sh DIR ID: prints which disk this is, after making it ID if it is a new one.
#
# The name is linked only once the content is there, and linking fails where the name exists:
# of any number of callers one decides, and no reader sees half an id.
set -eu
umask 077
mkdir -p -- "$1"
chmod 700 -- "$1"
if [ ! -f "$1/instance" ]; then
  printf '%s\n' "$2" >"$1/instance.$2"
  ln -- "$1/instance.$2" "$1/instance" 2>/dev/null || [ -f "$1/instance" ]
  rm -f -- "$1/instance.$2"
fi
cat -- "$1/instance"
