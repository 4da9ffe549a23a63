# SPDX-License-Identifier: MIT
"""cupti_dry.py SCRIPTS DIRECTORY: changes the cases' own output, or their
traces in DIRECTORY, in one place at a time. check_truth.py, in SCRIPTS, must
find each change, except those that a GPU may cause. Parts that hang or break
must not stop bench.py."""

import argparse
import contextlib
import io
import json
import pathlib
import re
import sys
import time

sys.path.insert(0, sys.argv[1])

import bench  # noqa: E402
import check_truth  # noqa: E402

DIRECTORY = pathlib.Path(sys.argv[2])

# Changes of a case's output: a text that is replaced once, and its replacement.
TRUTHS = (
    ("counts", r"^.*\n", ""),
    ("counts", r'"launch": 7,', '"launch": 7777,'),
    ("counts", "axpy_k", "empty_k"),
    ("counts", r'"block": 32,', '"block": 64,'),
    ("counts", r'"dynamic": 4096,', '"dynamic": 0,'),
    ("counts", r'"registers": 10,', '"registers": 11,'),
    ("counts", r'"static": 0,', '"static": 8,'),
    ("counts", r'"local": 0,', '"local": 8,'),
    ("counts", r'"stream": "', '"stream": "an'),
    ("counts", r'"value": 3}', '"value": 4}'),
    ("counts", r'"memset": 1048576,', '"memset": 1048575,'),
    ("counts", r'"copy": "DtoH"', '"copy": "HtoD"'),
    ("counts", r'"bytes": 524288}', '"bytes": 524287}'),
    ("counts", r'"sync": "stream"', '"sync": "context"'),
    ("durations", r'"ns": 500000,', '"ns": 520000,'),
    ("durations", r'"event_ms": 5\.0', '"event_ms": 5.3'),
    ("durations", r'"event_ms": 0\.05', '"event_ms": 0.04'),
    ("durations", r'"event_ms": 10\.0', '"event_ms": 10.5'),
    # The first launch's stream becomes the last one's.
    ("threads", r'(?s)"stream": "[^"]*"(.*)("stream": "[^"]*")', r"\2\1\2"),
    ("graph", r'"graph": 20,', '"graph": 19,'),
    ("graph", r'"others": 2,', '"others": 1,'),
    ("graph", r'"replays": 1000,', '"replays": 1001,'),
    ("graph", r'"first": 100000', '"first": 100001'),
    ("exit", r'"launch": 0,', '"launch": 1,'),
)


def is_kernel(event):
    return event.get("cat") == "kernel"


def is_capture(event):
    return "captured graph node" in event.get("args", {}) and not is_kernel(
        event
    )


def move_us(us):
    def change(event):
        event["ts"] += us

    return change


def last_us(us):
    def change(event):
        event["dur"] += us

    return change


def give(key, value):
    def change(event):
        event["args"][key] = value

    return change


def is_of(category):
    return lambda event: event.get("cat") == category


# Changes of a case's trace: the slice, of which the first match is changed, and
# the change; None removes it.
TRACES = (
    ("counts", is_kernel, None),
    ("counts", is_kernel, move_us(-20000)),
    ("counts", is_kernel, last_us(1000)),
    ("counts", is_kernel, give("External id", 2)),
    ("counts", is_kernel, give("correlation", 2**31)),
    ("counts", is_kernel, give("grid", [1, 2, 1])),
    ("counts", is_kernel, give("context", 9)),
    ("counts", is_of("cuda_driver"), last_us(1000)),
    ("counts", is_of("gpu_memcpy"), None),
    ("counts", is_of("gpu_memcpy"), give("correlation", 1)),
    ("counts", is_of("gpu_memset"), None),
    ("counts", is_of("cuda_sync"), None),
    ("counts", is_of("cuda_sync"), give("correlation", 2**31)),
    ("streams", is_kernel, last_us(1e6)),
    ("graph", is_kernel, give("graph node id", 1)),
    ("graph", is_kernel, give("graph id", 2)),
    ("graph", is_kernel, give("correlation", 1)),
    ("graph", is_kernel, give("External id", 1)),
    ("graph", is_kernel, give("captured graph node", 2)),
    ("graph", is_of("gpu_memset"), None),
    ("graph", is_capture, give("External id", 3)),
    ("graph", is_capture, give("captured graph node", 99)),
)


def is_second(event):
    return is_kernel(event) and event["args"]["grid"][0] == 2


# Changes that a GPU may cause: these must be accepted.
ALLOWED = (
    ("counts", is_kernel, give("registers per thread", 16)),
    ("durations", is_second, last_us(4)),
)


class Case:
    def __init__(self, name):
        self.truth = (DIRECTORY / f"{name}.truth").read_text("utf-8")
        trace = (DIRECTORY / f"{name}.json").read_text("utf-8")
        self.trace = json.loads(trace)


def with_truth(case, looked_for, replacement):
    text, count = re.subn(looked_for, replacement, case.truth, count=1)
    assert count == 1, looked_for
    return [json.loads(line) for line in text.splitlines()], case.trace


def with_trace(case, is_meant, change):
    events = list(case.trace["traceEvents"])
    at = next(
        i for i, e in enumerate(events) if e["ph"] == "X" and is_meant(e)
    )
    if change is None:
        del events[at]
    else:
        events[at] = json.loads(json.dumps(events[at]))
        change(events[at])
    truths = [json.loads(line) for line in case.truth.splitlines()]
    return truths, dict(case.trace, traceEvents=events)


def has_ended(pid):
    """Soon: it is killed already."""
    for _ in range(500):
        try:
            stat = pathlib.Path(f"/proc/{pid}/stat").read_text("utf-8")
        except OSError:
            return True
        if stat.rpartition(")")[2].split()[0] in "ZX":
            return True
        time.sleep(0.01)
    return False


def check_runs():
    """A part that hangs is killed with all its children."""
    pid = DIRECTORY / "pid"
    hangs = f"sleep 99 & echo $! >'{pid}'; wait"
    done = bench.run_for(2, ["sh", "-c", hangs])
    assert done.returncode == bench.HUNG, done
    assert has_ended(pid.read_text("utf-8").strip())
    done = bench.run_for(9, [str(DIRECTORY / "none")])
    assert done.returncode == bench.NOT_FOUND, done


def check_attempts():
    """A part that breaks is one failure, and parts after the time limit are
    reported."""
    options = dict.fromkeys(("keep", "cupti", "write", "python"))
    found = bench.Bench(
        argparse.Namespace(build=".", seconds=99, **options)
    )

    def breaks(_, key):
        return {}[key]

    said = io.StringIO()
    with contextlib.redirect_stderr(said), contextlib.redirect_stdout(said):
        found.attempt("a part", breaks, "grid")
    assert found.failed == 1
    found.until = 0
    found.attempt("another", breaks, "grid")
    assert found.failed == 1
    assert found.unmeasured == [("another", bench.TIME_UP)]
    found.close()


def main():
    check_runs()
    check_attempts()
    cases = {}
    unseen = 0
    changes = [(True, with_truth, *entry) for entry in TRUTHS]
    changes += [(True, with_trace, *entry) for entry in TRACES]
    changes += [(False, with_trace, *entry) for entry in ALLOWED]
    for number, (is_wrong, make, name, what, change) in enumerate(changes):
        if name not in cases:
            cases[name] = Case(name)
        truths, trace = make(cases[name], what, change)
        failures = check_truth.compare(name, truths, trace).failures
        if is_wrong != bool(failures):
            print(f"change {number}, of {name}, {what}: {failures[:1]}")
            unseen += 1
    print(f"{len(changes)} changes, {unseen} not judged as they should be")
    return unseen > 0


sys.exit(main())
