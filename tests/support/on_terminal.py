#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs a command on its own terminal, and copies its output there to standard
output. The status is the command's.

    on_terminal.py ROWS COLUMNS COMMAND...
"""
import fcntl
import os
import pty
import struct
import sys
import termios

SIZE = struct.pack("HHHH", int(sys.argv[1]), int(sys.argv[2]), 0, 0)
pid, master = pty.fork()
if pid == 0:
    os.environ["TERM"] = "xterm"
    fcntl.ioctl(1, termios.TIOCSWINSZ, SIZE)
    os.execv(sys.argv[3], sys.argv[3:])
while True:
    try:
        got = os.read(master, 4096)
    except OSError:  # Linux reports this when all have closed the terminal
        break
    if not got:
        break
    sys.stdout.buffer.write(got)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
