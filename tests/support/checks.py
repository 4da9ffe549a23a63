# SPDX-License-Identifier: MIT
"""Code shared by checkers: comparing, counting failures, running ctprof and
reading JSON. tests/support/prelude.sh sets the paths to this file and to the
program."""
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
    """Prints the result of each case."""
    if good:
        print("ok", what)
    else:
        fail(what if detail is None else f"{what}: {detail}")
    return good


def equal(what, found, wanted):
    """Prints only the differences."""
    if found != wanted:
        fail(f"{what}:\n  is {found}\n  not {wanted}")


def finish():
    """Ends the checker: with status 1 if anything failed."""
    sys.exit(bool(FAILED))


def run(*arguments, data=None, **options):
    """Runs ctprof with these arguments, and with data as its standard input:
    its status, output and messages."""
    return subprocess.run([os.environ["CTPROF"], *arguments], input=data,
                          capture_output=True, check=False, **options)


def output(*arguments, silent=False, data=None):
    """The output of ctprof; it must succeed, without messages if silent."""
    done = run(*arguments, data=data)
    equal(" ".join(map(str, arguments)), (done.returncode, done.stderr),
          (0, b"" if silent else done.stderr))
    return done.stdout


def refuse_constant(name):
    raise ValueError(f"{name} is not JSON")


def strict_json(text, **options):
    """Strict JSON, without NaN and Infinity, which Python accepts, in valid
    UTF-8."""
    if isinstance(text, bytes):
        text = text.decode("utf-8")
    return json.loads(text, parse_constant=refuse_constant, **options)


def read_json(path, **options):
    """A document in a file, which may be gzip'd."""
    path = os.fspath(path)
    with (gzip.open if path.endswith(".gz") else open)(path, "rb") as file:
        return json.loads(file.read(), **options)


def events_of(document):
    """The events of a Chrome trace, which is an array or an object with one."""
    return (document if isinstance(document, list) else
            document["traceEvents"])


def micro(ns):
    """Nanoseconds in the form of Chrome traces."""
    return f"{ns // 1000}.{ns % 1000:03}"
