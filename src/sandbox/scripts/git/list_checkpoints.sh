# shellcheck shell=sh disable=SC2154 # the scripts before it set the other variables
# list_checkpoints.sh PATH WITHIN STORE MAX: prints the latest MAX checkpoints, newest first: "TYPE COMMIT TIME NAME" and the
# description, each with a NUL.
find_repository || exit 0
theirs for-each-ref --sort=-committerdate --count="$1" \
  --format='%(objecttype) %(objectname) %(authordate:unix) %(refname:lstrip=3)%00%(contents)%00' refs/sandbox/snapshots/ |
  sed -z 's/^\n//'
