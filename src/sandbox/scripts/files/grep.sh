# shellcheck shell=sh disable=SC2154 # paths.sh sets path
# grep.sh PATH WITHIN GLOB IGNORED MAX OFFSET PATTERN FIXED CASE CONTEXT RECORD: prints what ripgrep says in JSON about
# lines that match PATTERN, and CONTEXT lines around each; at most MAX records after the first OFFSET, the first RECORD
# bytes of each. PATH is a directory, all below which is searched, or a file, of which GLOB says nothing. FIXED: PATTERN
# is no expression. CASE: upper and lower are the same. IGNORED as in glob.sh; these three are yes or no.
only=$1 all=$2 max=$3 offset=$4 fixed=$6 case=$7 record=$9
check_glob "$only"
shift 4
set -- --json --regexp="$1" --context="$4"
[ "$fixed" = no ] || set -- --fixed-strings "$@"
if [ "$case" = yes ]; then set -- --ignore-case "$@"; else set -- --case-sensitive "$@"; fi
# Looks into nothing, so it fails only for the pattern.
status=0
ripgrep '' no "$@" /dev/null >/dev/null || status=$?
if [ "$status" -eq 2 ]; then exit 17; fi
if [ -d "$path" ]; then
  enter "$path"
  set -- "$@" ./
else
  open_file
  exec <&3
  # Standard input, which is now that file.
  only=
  set -- "$@" -
fi
{ ripgrep "$only" "$all" --no-messages "$@" || true; } |
  sed -n -e '/^{"type":"match"/p' -e '/^{"type":"context"/p' |
  tail -n "+$((offset + 1))" | head -n "$max" | cut -b "-$record"
