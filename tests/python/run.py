# SPDX-License-Identifier: MIT
"""Runs tests/python/python under this interpreter. Each test file has its own
process, so that one that dies does not end the others.

Prints a line per test, and a last line for tests/run.sh to count.
"""

import argparse
import faulthandler
import os
import pathlib
import platform
import subprocess
import sys
import sysconfig
import time
import unittest

DIRECTORY = pathlib.Path(__file__).resolve().parent
# A file takes seconds; past this, it hangs.
LIMIT_S = 600


def interpreter():
    """CPython 3.13.0, or 3.14.0t for a free-threaded build."""
    free = "t" if sysconfig.get_config_var("Py_GIL_DISABLED") else ""
    return f"CPython {platform.python_version()}{free}"


class Result(unittest.TestResult):
    """Prints the outcome of each test as soon as it is known."""

    def __init__(self, name):
        super().__init__()
        self.name = name
        self.bad = set()

    def title(self, test):
        return f"{self.name}.{test.id().split('.', 1)[-1]}"

    def startTest(self, test):
        super().startTest(test)
        self.started = time.monotonic()

    def complain(self, test, text):
        self.bad.add(test.id())
        print(f"not ok {self.title(test)}")
        print("    " + text.rstrip().replace("\n", "\n    "), flush=True)

    def addSuccess(self, test):
        if test.id() not in self.bad:
            took = time.monotonic() - self.started
            print(f"ok {self.title(test)} ({took:.1f} s)", flush=True)

    def addError(self, test, err):
        self.complain(test, self._exc_info_to_string(err, test))

    addFailure = addError

    def addSubTest(self, test, subtest, err):
        if err is not None:
            self.complain(test, f"{subtest.id()}\n"
                          + self._exc_info_to_string(err, subtest))

    def addUnexpectedSuccess(self, test):
        self.complain(test, "it should have failed")

    def addSkip(self, test, reason):
        print(f"skipped {self.title(test)}: {reason}", flush=True)


def run_file(name):
    """The tests of one file, in this process."""
    faulthandler.enable()
    sys.path.insert(0, str(DIRECTORY))
    suite = unittest.defaultTestLoader.loadTestsFromName(name)
    result = Result(name)
    suite.run(result)
    return 1 if result.bad else 0


def run_child(name):
    """The same in a separate process: the lines that it printed."""
    command = [sys.executable, "-P", __file__, "--here", name]
    try:
        child = subprocess.run(command, stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, timeout=LIMIT_S)
        said, status = child.stdout, child.returncode
    except subprocess.TimeoutExpired as late:
        said, status = late.stdout or b"", f"no end after {LIMIT_S} s"
    text = said.decode(errors="backslashreplace")
    print(text, end="", flush=True)
    lines = text.splitlines()
    if status not in (0, 1) or not any(
            line.startswith(("ok ", "not ok ", "skipped ")) for line in lines):
        lines.append(f"not ok {name}: status {status}")
        print(lines[-1], flush=True)
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--here", action="store_true",
                        help="in this process")
    parser.add_argument("names", nargs="*", metavar="NAME")
    options = parser.parse_args()
    found = sorted(path.stem for path in DIRECTORY.glob("test_*.py"))
    names = [pathlib.Path(name).stem for name in options.names] or found
    if options.here:
        return max(run_file(name) for name in names)
    print(f"{interpreter()}, {sys.executable}", flush=True)
    os.environ.setdefault("PYTHONHASHSEED", "0")
    lines = [line for name in names for line in run_child(name)]
    failed = sum(line.startswith("not ok ") for line in lines)
    passed = sum(line.startswith("ok ") for line in lines)
    share = 100 * passed // max(passed + failed, 1)
    print(f"{share}%: Checks: {passed + failed}, Failures: {failed}, "
          "Errors: 0", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
