# shellcheck shell=sh disable=SC2154 # paths.sh sets path
# list.sh PATH WITHIN RECURSIVE HIDDEN MAX [OFFSET]: prints "TYPE SIZE MTIME MODE NAME", each with a NUL after it, of at
# most MAX entries in the order of NAME, after the first OFFSET. RECURSIVE and HIDDEN are yes or no.
enter_directory
offset=${4:-0} max=$3 hidden=$2
if [ "$1" = yes ]; then set -- .; else set -- . -maxdepth 1; fi
set -- "$@" -mindepth 1
[ "$hidden" = yes ] || set -- "$@" -name '.*' -prune -o
# An entry that vanishes meanwhile is not listed, and no failure.
{ find "$@" -printf '%y %s %T@ %m %P\0' || true; } |
  sort -z -t ' ' -k 5 | tail -z -n "+$((offset + 1))" | head -z -n "$max"
