# shellcheck shell=sh disable=SC2154 # paths.sh sets path
# glob.sh PATH WITHIN GLOB IGNORED MAX OFFSET: prints the paths of regular files below PATH that match GLOB, in their
# order, each ended by a NUL. Skips the first OFFSET and prints at most MAX. IGNORED is yes or no: whether to include
# files that ignore files name.
check_glob "$1"
enter_directory
check_ignore_files "$2"
{ ripgrep "$1" "$2" --no-messages --files --null || true; } | tail -z -n "+$(($4 + 1))" | head -z -n "$3"
