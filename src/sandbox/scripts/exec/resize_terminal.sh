# shellcheck shell=sh
# resize_terminal.sh NOTE COLS ROWS: sets the size of the terminal of terminal.sh. The kernel notifies the program on
# it.
set -u
tries=0
until [ -s "$1" ] || [ "$tries" -ge 40 ]; do
  tries=$((tries + 1))
  sleep 0.05
done
[ -f "$1" ] && read -r _ tty <"$1" && exec stty -F "$tty" cols "$2" rows "$3"
