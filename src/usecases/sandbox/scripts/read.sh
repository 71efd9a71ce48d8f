# shellcheck shell=sh disable=SC2154 # paths.sh sets path
# read.sh PATH WITHIN MAX: prints a regular file of at most MAX bytes.
[ -e "$path" ] || fail 10 "no such file"
[ ! -d "$path" ] || fail 12 "is a directory"
[ -f "$path" ] || fail 12 "is not a regular file"
exec 3<"$path"
# What was opened is looked at, not what the name leads to by now.
opened=$(readlink -- /proc/self/fd/3 && echo x)
inside "${opened%?x}"
[ "$(stat -L -c %s -- /proc/self/fd/3)" -le "$1" ] || fail 13 "is larger"
cat <&3
