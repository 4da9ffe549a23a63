# SPDX-License-Identifier: MIT
"""python3 -m ctprof: runs a program and records it."""
import sys

from ctprof import _run

if __name__ == "__main__":
    status: int = _run.main(sys.argv[1:])
    # sys.exit() would be recorded.
    if status != 0:
        raise SystemExit(status)
