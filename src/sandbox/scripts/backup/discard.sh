# shellcheck shell=sh
# discard.sh DIR: removes DIR and its content in the background, because many files take long.
rm -rf -- "$1" >/dev/null 2>&1 &
