"""Runs a command on a terminal of its own: cli_pty.py COMMAND… Standard input is typed, and what is shown goes to standard output.

Exits as the command does. Answers the question where the cursor is, as a terminal would.
"""

import os
import pty
import select
import sys
import termios
import fcntl
import struct

pid, terminal = pty.fork()
if pid == 0:
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 200, 0, 0))
    os.execvp(sys.argv[1], sys.argv[1:])
sources = [terminal, 0]
while True:
    ready, _, _ = select.select(sources, [], [])
    if 0 in ready:
        typed = os.read(0, 65536)
        if typed:
            os.write(terminal, typed)
        else:
            sources.remove(0)
    if terminal in ready:
        try:
            shown = os.read(terminal, 65536)
        except OSError:
            shown = b""
        if not shown:
            break
        for _ in range(shown.count(b"\x1b[6n")):
            os.write(terminal, b"\x1b[1;1R")
        os.write(1, shown)
_, status = os.waitpid(pid, 0)
sys.exit(os.waitstatus_to_exitcode(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status))
