# SPDX-License-Identifier: MIT
"""public_directory_race.py CTPROF INPUT VICTIM DIRECTORY: a pipe and a link to
VICTIM change places in DIRECTORY repeatedly, while CTPROF writes to the path
without --force. VICTIM must not change."""
import ctypes
import os
import subprocess
import sys
import threading
import time

CTPROF, INPUT, VICTIM, DIRECTORY = sys.argv[1:]
TRIES = 150
SECONDS = 8  # on slow machines
AT_FDCWD = -100
RENAME_EXCHANGE = 2

libc = ctypes.CDLL(None, use_errno=True)
path = os.path.join(DIRECTORY, "race.dot")
link = os.path.join(DIRECTORY, "race.link")
os.mkfifo(path)
os.symlink(os.path.abspath(VICTIM), link)
# Held open, so that nobody waits for a reader.
reader = os.open(path, os.O_RDWR | os.O_NONBLOCK)
before = os.stat(VICTIM)
over = threading.Event()


def exchange():
    """Until the tries are over."""
    while not over.is_set():
        for _ in range(100):
            libc.renameat2(AT_FDCWD, os.fsencode(path), AT_FDCWD,
                           os.fsencode(link), RENAME_EXCHANGE)


def drain():
    """The data in the pipe."""
    try:
        while os.read(reader, 65536):
            pass
    except BlockingIOError:
        pass


def main():
    """1 if the file was written to."""
    swapper = threading.Thread(target=exchange)
    swapper.start()
    outcomes = {}
    try:
        end = time.monotonic() + SECONDS
        for number in range(TRIES):
            if time.monotonic() > end:
                break
            done = subprocess.run(
                [CTPROF, "convert", "-q", INPUT, "-t", "dot", "-o", path],
                stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False,
                timeout=60)
            drain()
            outcomes[done.returncode] = outcomes.get(done.returncode, 0) + 1
            after = os.stat(VICTIM)
            if (after.st_ino, after.st_size, after.st_mtime_ns) != (
                    before.st_ino, before.st_size, before.st_mtime_ns):
                print(f"race: try {number + 1} wrote to the file")
                return 1
    finally:
        over.set()
        swapper.join()
    print(f"# {sum(outcomes.values())} tries: {outcomes}")
    return 0 if set(outcomes) <= {0, 5} else 1


sys.exit(main())
