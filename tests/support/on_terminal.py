#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs a command with a terminal of its own for its three streams, and copies
its output there to standard output. The status is the command's.

    on_terminal.py ROWS COLUMNS COMMAND...
"""
import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios

SIZE = struct.pack("HHHH", int(sys.argv[1]), int(sys.argv[2]), 0, 0)
# It is not the command's controlling terminal: Linux discards the output that
# nobody has read when the leader of such a terminal's session ends.
master, slave = pty.openpty()
fcntl.ioctl(slave, termios.TIOCSWINSZ, SIZE)
command = subprocess.Popen(sys.argv[3:], stdin=slave, stdout=slave, stderr=slave,
                           env=dict(os.environ, TERM="xterm"))
os.close(slave)
while True:
    try:
        got = os.read(master, 4096)
    except OSError:  # Linux reports this when all have closed the terminal
        break
    if not got:
        break
    sys.stdout.buffer.write(got)
sys.exit(command.wait())
