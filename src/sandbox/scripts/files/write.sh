# shellcheck shell=sh disable=SC2154 # paths.sh sets path
# write.sh PATH WITHIN SIZE RECURSIVE [SHA256]: atomically replaces a file with the SIZE bytes of standard input. With
# SHA256, only if its content has that sum.
#
# If RECURSIVE is yes, makes its directory. Follows a symbolic link. Keeps the mode and owner of an existing file. Exit
# status in addition to those of paths.sh: 36 a process has the database open that the file belongs to.
real=$(realpath -m -- "$path" && echo x)
real=${real%?x}
name=${real##*/}
[ -n "$name" ] || fail 12 "is a directory"
parent=${real%/*}
[ "$2" = no ] || make_dirs "${parent:-/}"
enter "${parent:-/}"
[ ! -d "./$name" ] || fail 12 "is a directory"
[ ! -e "./$name" ] || [ -f "./$name" ] || fail 12 "is not a regular file"
temporary=$(mktemp ./.snapshotter-XXXXXXXXXX)
trap 'rm -rf -- "$temporary" "$temporary".*' EXIT
trap "trap '' HUP INT TERM; exit 143" HUP INT TERM
cat >"$temporary"
[ "$(stat -c %s -- "$temporary")" -eq "$1" ] || fail 15 "not all of the content arrived"
if [ -e "./$name" ]; then
  chown --reference="./$name" -- "$temporary"
  chmod --reference="./$name" -- "$temporary"
else
  chmod '=rw' -- "$temporary"
fi
# Of two writers, one waits here until the other has placed its file: otherwise both could find the content of SHA256. A
# command may hold the lock for longer; a write without a condition goes on then.
exec 9<.
flock --wait 5 9 || [ -z "${3:-}" ] || fail 16 "could not be compared: a process has locked its directory"
if is_database "./$name"; then
  printf './%s\0' "$name" | spare_databases "$temporary"
fi
if [ -n "${3:-}" ]; then
  sum=$(sha256sum <"./$name") || fail 16 "was changed meanwhile"
  [ "${sum%% *}" = "$3" ] || fail 16 "was changed meanwhile"
fi
if is_database "$temporary"; then rm -f -- "./$name-wal" "./$name-shm" "./$name-journal"; fi
mv -fT -- "$temporary" "./$name"
