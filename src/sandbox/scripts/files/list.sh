# shellcheck shell=sh disable=SC2154 # paths.sh sets path
# list.sh PATH WITHIN RECURSIVE HIDDEN MAX [OFFSET]: prints "TYPE SIZE MTIME MODE NAME" and a NUL for each entry, in the
# order of NAME. Skips the first OFFSET entries and prints at most MAX. RECURSIVE and HIDDEN are yes or no.
enter_directory
offset=${4:-0} max=$3 hidden=$2
if [ "$1" = yes ]; then set -- .; else set -- . -maxdepth 1; fi
set -- "$@" -mindepth 1
[ "$hidden" = yes ] || set -- "$@" -name '.*' -prune -o
# An entry that vanishes meanwhile is not listed; that is no failure.
{ find "$@" -printf '%y %s %T@ %m %P\0' || true; } |
  sort -z -t ' ' -k 5 | tail -z -n "+$((offset + 1))" | head -z -n "$max"
