# shellcheck shell=sh disable=SC2154 # paths.sh sets path
# export.sh PATH WITHIN LOG GROUP [NAME…]: prints the tree below PATH as a tar archive; with NAMEs, only these files and
# directories below it. The file LOG collects the tools' messages. The file GROUP holds the id of this process group for
# stop.sh; the group's leader is this script's parent.
#
# Archives only files, directories and symbolic links, and does not follow links. Leaves out an entry that vanishes
# meanwhile. If a file changes meanwhile, archives it as it was at some moment. Fails for a file that shrinks, because
# tar would fill it up with zeros.
log=$1 group=$2
shift 2
trap 'rm -f -- "$log" "$log.find" "$group"' EXIT
trap "trap '' HUP INT TERM; exit 143" HUP INT TERM
echo "$PPID" >"$group"
enter_directory
command -v tar >/dev/null || fail 21 "tar is not installed"

# entries [NAME…]: prints the paths of all entries, each followed by a NUL. A path of find that begins with "./" is no
# option.
entries() {
  if [ "$#" -eq 0 ]; then
    find . -mindepth 1 '(' -type f -o -type d -o -type l ')' -printf '%P\0' || true
    return
  fi
  for name; do
    locate "$name"
    # A database is not complete without the files beside it.
    if is_database "$located"; then
      base=${located%-wal} base=${base%-shm} base=${base%-journal}
      for located in "$base-wal" "$base-shm" "$base-journal"; do
        if [ -f "$located" ]; then printf '%s\0' "$located"; fi
      done
      located=$base
    fi
    find "$located" '(' -type f -o -type d -o -type l ')' -print0 || true
  done | sort -z -u
}

status=0
entries "$@" 2>"$log.find" |
  tar --create --file=- --format=posix --pax-option=delete=atime,delete=ctime,delete=mtime --numeric-owner --xattrs \
    --xattrs-include='user.*' --xattrs-include=security.capability --no-recursion --null --verbatim-files-from --files-from=- 2>"$log" ||
  status=$?
cat "$log.find" >>"$log"
[ "$status" -ne 0 ] || [ -s "$log" ] || exit 0
worst=$(grep -v -e ': No such file or directory$' -e ': file changed as we read it$' -e ': File removed before we read it$' \
  -e 'Exiting with failure status due to previous errors$' "$log" | head -n 1) || true
[ -z "$worst" ] || fail 1 "$worst"
