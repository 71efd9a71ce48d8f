# shellcheck shell=sh disable=SC2154 # paths.sh sets path
# glob.sh PATH WITHIN GLOB IGNORED MAX OFFSET: prints the paths of at most MAX regular files below PATH that match GLOB,
# each with a NUL after it, in their order, after the first OFFSET. IGNORED (yes or no): also what ignore files name.
check_glob "$1"
enter_directory
{ ripgrep "$1" "$2" --no-messages --files --null || true; } | tail -z -n "+$(($4 + 1))" | head -z -n "$3"
