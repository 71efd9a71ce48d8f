# shellcheck shell=sh disable=SC2154 # eval sets interpreter
# interpreter.sh: precedes start_process.sh, whose last argument is the interpreter. Exit status: 21 it is not
# installed.
eval "interpreter=\${$#}"
command -v "$interpreter" >/dev/null || { echo "$interpreter is not installed" >&2; exit 21; }
