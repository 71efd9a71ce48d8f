# shellcheck shell=sh disable=SC2154 # paths.sh sets path
# delete.sh PATH WITHIN: deletes a file, or a symbolic link itself, but no directory.
name=${path##*/}
parent=${path%/*}
[ -n "$name" ] || fail 12 "is a directory"
enter "${parent:-/}"
[ -e "./$name" ] || [ -L "./$name" ] || fail 10 "no such file"
if [ -d "./$name" ] && [ ! -L "./$name" ]; then fail 12 "is a directory"; fi
rm -f -- "./$name"
