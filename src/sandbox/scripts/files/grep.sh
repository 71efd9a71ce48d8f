# shellcheck shell=sh disable=SC2154 # paths.sh sets path
# grep.sh PATH WITHIN GLOB IGNORED MAX OFFSET PATTERN FIXED CASE CONTEXT RECORD: prints ripgrep's JSON records of the
# lines that match PATTERN, and of CONTEXT lines around each. Skips the first OFFSET records, prints at most MAX, and
# cuts each after RECORD bytes. PATH is a directory, whose tree is searched, or a file, for which GLOB is ignored. If
# FIXED is yes, PATTERN is text. If CASE is yes, case is ignored. IGNORED is as in glob.sh. These three are yes or no.
only=$1 all=$2 max=$3 offset=$4 fixed=$6 case=$7 record=$9
check_glob "$only"
shift 4
set -- --json --regexp="$1" --context="$4"
[ "$fixed" = no ] || set -- --fixed-strings "$@"
if [ "$case" = yes ]; then set -- --ignore-case "$@"; else set -- --case-sensitive "$@"; fi
# Searches nothing, so it fails only because of the pattern.
status=0
ripgrep '' yes "$@" /dev/null >/dev/null || status=$?
if [ "$status" -eq 2 ]; then exit 17; fi
if [ -d "$path" ]; then
  enter "$path"
  check_ignore_files "$all"
  set -- "$@" ./
else
  open_file
  exec <&3
  # Search standard input, which is now that file.
  only=
  set -- "$@" -
fi
{ ripgrep "$only" "$all" --no-messages "$@" || true; } |
  sed -n -e '/^{"type":"match"/p' -e '/^{"type":"context"/p' |
  tail -n "+$((offset + 1))" | head -n "$max" | cut -b "-$record"
