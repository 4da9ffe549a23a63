# SPDX-License-Identifier: MIT
"""What checkers share: they compare, count what fails, run ctprof and read JSON.
tests/support/prelude.sh says where this and the program are."""
import gzip
import json
import os
import subprocess
import sys

FAILED = []


def fail(what):
    FAILED.append(what)
    print("not ok", what)


def check(good, what, detail=None):
    """Prints how each case ended."""
    if good:
        print("ok", what)
    else:
        fail(what if detail is None else f"{what}: {detail}")
    return good


def equal(what, found, wanted):
    """Prints only what differs."""
    if found != wanted:
        fail(f"{what}:\n  is {found}\n  not {wanted}")


def finish():
    """Ends the checker: with 1 if anything failed."""
    sys.exit(bool(FAILED))


def run(*arguments, data=None, **options):
    """ctprof with these arguments, and with data as its standard input: its
    status, output and messages."""
    return subprocess.run([os.environ["CTPROF"], *arguments], input=data,
                          capture_output=True, check=False, **options)


def output(*arguments, silent=False, data=None):
    """What ctprof prints; it must succeed, and say nothing if silent."""
    done = run(*arguments, data=data)
    equal(" ".join(arguments), (done.returncode, done.stderr),
          (0, b"" if silent else done.stderr))
    return done.stdout


def refuse_constant(name):
    raise ValueError(f"{name} is not JSON")


def strict_json(text, **options):
    """JSON without NaN and Infinity, which Python reads, in valid UTF-8."""
    if isinstance(text, bytes):
        text = text.decode("utf-8")
    return json.loads(text, parse_constant=refuse_constant, **options)


def read_json(path, **options):
    """A document in a file, which may be gzip'd."""
    path = os.fspath(path)
    with (gzip.open if path.endswith(".gz") else open)(path, "rb") as file:
        return json.loads(file.read(), **options)


def events_of(document):
    """The events of a Chrome trace, which is their array or has one."""
    return (document if isinstance(document, list) else
            document["traceEvents"])


def micro(ns):
    """Nanoseconds as Chrome traces have them."""
    return f"{ns // 1000}.{ns % 1000:03}"
