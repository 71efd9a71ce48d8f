# shellcheck shell=sh
# running.sh DIR: prints "running" if a command of exec.sh still runs.
#
# Until a command ends, exec.sh keeps a file in DIR with the id of its process group. The group's leader is `timeout`,
# which ends with the command, so background processes do not count. If exec.sh was killed, its file may stay, but the
# leader ends.
set -u
for group in "$1"/exec-*.group; do
  # A command may have put a pipe there.
  [ -f "$group" ] || continue
  read -r leader 2>/dev/null <"$group" || continue
  case $leader in *[!0-9]* | '') continue ;; esac
  stat=$(cat "/proc/$leader/stat" 2>/dev/null) || continue
  case $stat in
    "$leader (timeout) "[ZX]*) ;; # ended, but not reaped yet
    "$leader (timeout) "*)
      echo running
      break
      ;;
  esac
done
