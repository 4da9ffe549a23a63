# SPDX-License-Identifier: MIT
"""pstats_seeds.py DIRECTORY: small profiles as seeds for fuzzing, in every
version of marshal, whole and truncated."""

import marshal
import pathlib
import sys

MAIN = ("a.py", 1, "main")
CALLED = ("a.py", 5, "f")
BUILT_IN = ("~", 0, "<built-in method builtins.len>")
STATS = {
    MAIN: (1, 1, 0.5, 1.75, {}),
    CALLED: (
        3,
        5,
        1.0,
        1.25,
        {MAIN: (1, 1, 0.25, 1.25), CALLED: (4, 2, 0.75, 1.0)},
    ),
    BUILT_IN: (
        2**33,
        2**33,
        0.25,
        0.25,
        {CALLED: 7, MAIN: (1, 1, 1e-9, 0.0)},
    ),
}


def main():
    directory = pathlib.Path(sys.argv[1])
    for version in range(marshal.version + 1):
        data = marshal.dumps(STATS, version)
        (directory / f"whole-{version}").write_bytes(data)
        for size in range(1, len(data), len(data) // 8):
            (directory / f"cut-{version}-{size}").write_bytes(data[:size])


main()
