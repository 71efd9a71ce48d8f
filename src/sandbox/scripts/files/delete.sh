# shellcheck shell=sh disable=SC2154 # paths.sh sets path
# delete.sh PATH WITHIN [RECURSIVE]: deletes a file, or a symbolic link itself. If RECURSIVE is yes, deletes a directory
# and its content too. Never deletes WITHIN, because PATH's parent must be WITHIN or lie in it.
parent_of_path
# An edit compares the file, and places its own, with this lock.
exec 9<.
flock --wait 5 9 || true
[ -e "./$name" ] || [ -L "./$name" ] || fail 10 "no such file"
if [ "${1:-no}" = yes ]; then
  rm -rf -- "./$name"
else
  if [ -d "./$name" ] && [ ! -L "./$name" ]; then fail 12 "is a directory"; fi
  rm -f -- "./$name"
fi
