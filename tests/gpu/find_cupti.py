# SPDX-License-Identifier: MIT
"""Finds libcupti on a machine without a full installation of CUDA: in a
Python's packages, beside the compiler, or in its own directory."""

import glob
import os
import pathlib
import shutil
import subprocess

WHERE = "import sysconfig as s; print(s.get_path('purelib'))"
IN_PACKAGES = ("nvidia/*/lib", "triton/backends/nvidia/lib/cupti")
IN_TOOLKIT = ("lib64", "extras/CUPTI/lib64", "targets/*/lib", "lib")
TOOLKITS = ("/usr/local/cuda", "/usr/local/cuda-*", "/opt/cuda*")


def packages(python):
    """The package directory of a Python."""
    try:
        done = subprocess.run(
            [python, "-c", WHERE],
            check=True,
            stdout=subprocess.PIPE,
            text=True,
        )
    except (OSError, subprocess.CalledProcessError):
        return None
    return done.stdout.strip()


def toolkits():
    homes = [os.environ.get(name) for name in ("CUDA_HOME", "CUDA_PATH")]
    compiler = shutil.which("nvcc")
    if compiler is not None:
        homes.append(pathlib.Path(compiler).resolve().parent.parent)
    for pattern in TOOLKITS:
        homes += sorted(glob.glob(pattern), reverse=True)
    return [str(home) for home in homes if home]


def libraries(python):
    """All candidates, the likeliest first, each once."""
    patterns = []
    at = packages(python)
    if at:
        patterns += [os.path.join(at, place) for place in IN_PACKAGES]
    for home in toolkits():
        patterns += [os.path.join(home, place) for place in IN_TOOLKIT]
    found = {}
    for pattern in patterns:
        # The name with the most numbers is the file; others are links to it.
        for path in sorted(glob.glob(f"{pattern}/libcupti.so*")):
            found.setdefault(os.path.realpath(path))
    return list(found)
