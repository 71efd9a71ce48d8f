# shellcheck shell=sh
# terminal.sh NOTE OWN CWD COLS ROWS: becomes an interactive shell in CWD, on the terminal that is its standard input.
# The file NOTE holds its process id and the terminal's device, for resize_terminal.sh.
#
# Hangs up shells whose notes do not begin with OWN: an object that lost its memory left them, and nobody can reconnect
# to them.
set -u
note=$1 own=$2 cwd=$3 cols=$4 rows=$5

for left in "${note%/*}"/terminal-*; do
  case $left in "$own"-*) continue ;; esac
  # A command may have changed the file, or put a pipe there.
  if [ ! -f "$left" ] || ! read -r pid tty 2>/dev/null <"$left"; then continue; fi
  case $pid:$tty in *[!0-9]*:* | :* | 0:* | 1:* | *:) continue ;; esac
  [ "$(readlink "/proc/$pid/fd/0")" != "$tty" ] || kill -s HUP -- "$pid"
  rm -f -- "$left"
done
stty cols "$cols" rows "$rows"
echo "$$ $(tty)" >"$note"
if ! cd -- "$cwd"; then cd /; fi
if command -v bash >/dev/null; then exec bash; else exec sh -i; fi
