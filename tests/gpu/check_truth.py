# SPDX-License-Identifier: MIT
"""Compares what truth.c says it did with what the log says, by way of the
Chrome trace: every launch, its shape, its place and its parent."""

import collections
import json

# Issue: a kernel's clock and the events' tick in steps of up to 1 us.
SPIN_SLACK_NS = 2000
SPIN_SLACK = 0.03
EVENT_SLACK_NS = 10000
SKEW_NS = 15000
MEMORY_SLACK = 64 << 20


class Log:
    """The trace's events, by what they are."""

    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            trace = json.load(file)
        slices = [e for e in trace["traceEvents"] if e["ph"] == "X"]
        self.kernels = [e for e in slices if e.get("cat") == "kernel"]
        self.copies = [e for e in slices if e.get("cat") == "gpu_memcpy"]
        self.memsets = [e for e in slices if e.get("cat") == "gpu_memset"]
        self.syncs = [e for e in slices if e.get("cat") == "cuda_sync"]
        self.calls = {
            e["args"]["correlation"]: e
            for e in slices
            if e.get("cat") in ("cuda_driver", "cuda_runtime")
            and "correlation" in e.get("args", {})
        }
        self.ranges = {
            e["args"]["External id"]: e
            for e in slices
            if e.get("cat") not in ("kernel", "gpu_memcpy", "gpu_memset")
            and "External id" in e.get("args", {})
        }
        self.others = trace.get("otherData", {})

    def parent(self, event):
        """The name of the range that an activity was launched in."""
        found = self.ranges.get(event["args"].get("External id"))
        return None if found is None else found["name"]


class Report:
    def __init__(self):
        self.failures = []
        self.checks = 0

    def equal(self, what, got, wanted):
        self.checks += 1
        if got != wanted:
            self.failures.append(f"{what}: {got}, not {wanted}")

    def true(self, what, holds):
        self.checks += 1
        if not holds:
            self.failures.append(what)


def nanoseconds(us):
    return round(us * 1000)


def check_launches(report, log, launches):
    """Every kernel is the one of its grid, in that launch's range."""
    by_number = {truth["launch"]: truth for truth in launches}
    names = collections.Counter(truth["name"] for truth in launches)
    report.equal("kernels", len(log.kernels), len(launches))
    report.equal(
        "kernels by name",
        collections.Counter(k["name"] for k in log.kernels),
        names,
    )
    seen = set()
    for kernel in log.kernels:
        args = kernel["args"]
        number = args["grid"][0] - 1
        truth = by_number.get(number)
        seen.add(number)
        if truth is None:
            report.true(f"a kernel with a grid of {number + 1}", False)
            continue
        report.equal(
            f"shape of r{number}",
            (
                kernel["name"],
                args["block"],
                args["registers per thread"],
                args.get("static shared memory", 0),
                args.get("dynamic shared memory", 0),
            ),
            (
                truth["name"],
                [truth["block"], 1, 1],
                truth["registers"],
                truth["static"],
                truth["dynamic"],
            ),
        )
        report.equal(f"range of r{number}", log.parent(kernel), f"r{number}")
        call = log.calls.get(args["correlation"])
        report.true(f"r{number} has no call", call is not None)
        if call is not None:
            early = nanoseconds(call["ts"] - kernel["ts"])
            report.true(f"r{number} starts {early} ns early", early < SKEW_NS)
    report.equal("launches seen", len(seen), len(by_number))


def check_streams(report, log, launches):
    """One stream of the log for each of the program, in program order, one
    kernel after the other."""
    streams = collections.defaultdict(set)
    in_log = collections.defaultdict(list)
    by_number = {truth["launch"]: truth for truth in launches}
    for kernel in log.kernels:
        truth = by_number.get(kernel["args"]["grid"][0] - 1)
        key = (kernel["args"]["context"], kernel["args"]["stream"])
        in_log[key].append(kernel)
        if truth is not None:
            streams[truth["stream"]].add(key)
    for stream, keys in streams.items():
        report.equal(f"streams of {stream}", len(keys), 1)
    report.equal("streams", len(streams), len(in_log))
    for key, kernels in in_log.items():
        kernels.sort(key=lambda kernel: kernel["ts"])
        for first, second in zip(kernels, kernels[1:]):
            end = nanoseconds(first["ts"]) + nanoseconds(first["dur"])
            report.true(
                f"kernels of stream {key} overlap",
                nanoseconds(second["ts"]) >= end,
            )
            report.true(
                f"kernels of stream {key} are out of order",
                first["args"]["grid"][0] < second["args"]["grid"][0],
            )


def check_copies(report, log, truths):
    wanted = collections.Counter(
        (t["copy"], t["bytes"]) for t in truths if "copy" in t
    )
    got = collections.Counter(
        (c["args"].get("kind"), c["args"].get("bytes")) for c in log.copies
    )
    report.equal("copies", got, wanted)
    wanted = collections.Counter(t["memset"] for t in truths if "memset" in t)
    got = collections.Counter(m["args"].get("bytes") for m in log.memsets)
    report.equal("memsets", got, wanted)


def check_syncs(report, log, truths):
    wanted = collections.Counter(t["sync"] for t in truths if "sync" in t)
    got = collections.Counter(
        sync["name"].split()[0].lower() for sync in log.syncs
    )
    for kind, count in wanted.items():
        report.equal(f"{kind} syncs", got[kind], count)


def check_durations(report, log, truths):
    kernels = {k["args"]["grid"][0] - 1: k for k in log.kernels}
    for truth in truths:
        if "spin" not in truth or truth["spin"] not in kernels:
            continue
        got = nanoseconds(kernels[truth["spin"]]["dur"])
        slack = max(SPIN_SLACK_NS, SPIN_SLACK * truth["ns"])
        report.true(
            f"a kernel of {truth['ns']} ns lasts {got} ns",
            abs(got - truth["ns"]) <= slack,
        )
        events = truth["event_ms"] * 1e6
        report.true(
            f"events say {events:.0f} ns, the log {got} ns",
            -SPIN_SLACK_NS <= events - got <= EVENT_SLACK_NS,
        )


def check_concurrency(report, log):
    """Of four streams' kernels, more than half of the time is shared."""
    spans = [
        (nanoseconds(k["ts"]), nanoseconds(k["ts"]) + nanoseconds(k["dur"]))
        for k in log.kernels
    ]
    work = sum(end - start for start, end in spans)
    busy = 0
    last = 0
    for start, end in sorted(spans):
        busy += max(0, end - max(start, last))
        last = max(last, end)
    report.true(
        f"streams do not overlap: {work} ns of work in {busy} ns",
        work > 2 * busy,
    )


def check_graph(report, log, truth):
    """Every node of every replay, in the range that launched it."""
    nodes = set()
    graphs = set()
    parents = collections.Counter()
    for kernel in log.kernels:
        args = kernel["args"]
        if "graph node id" in args:
            nodes.add(args["graph node id"])
            graphs.add(args.get("graph id"))
            parents[log.parent(kernel)] += 1
    replays = truth["replays"]
    first = truth["first"]
    # The driver may make a kernel of a memset.
    work = sum(parents.values()) + sum(
        "graph node id" in m["args"] for m in log.memsets
    )
    report.equal("nodes replayed", work, (truth["graph"] + 1) * replays)
    report.true(
        f"{len(nodes)} nodes", len(nodes) in (truth["graph"], truth["graph"] + 1)
    )
    report.equal("graphs", len(graphs), 1)
    report.equal(
        "ranges of replays",
        set(parents),
        {f"r{first + i}" for i in range(replays)},
    )
    report.equal("kernels per replay", len(set(parents.values())), 1)


def check_stress(report, log, truth):
    report.equal("kernels", len(log.kernels), truth["stress"])
    report.true(
        "a kernel without a time",
        all(k["ts"] > 0 and k["dur"] > 0 for k in log.kernels),
    )
    report.true(
        f"{truth['memory_lost']} bytes of the device are gone",
        truth["memory_lost"] < MEMORY_SLACK,
    )


def check(case, truth_path, trace_path):
    """A Report on one case."""
    report = Report()
    with open(truth_path, encoding="utf-8") as file:
        truths = [json.loads(line) for line in file]
    log = Log(trace_path)
    launches = [truth for truth in truths if "launch" in truth]
    if case == "graph":
        check_graph(report, log, truths[-1])
    elif case == "stress":
        check_stress(report, log, truths[-1])
    else:
        check_launches(report, log, launches)
        check_streams(report, log, launches)
        check_copies(report, log, truths)
    check_syncs(report, log, truths)
    check_durations(report, log, truths)
    if case == "streams":
        check_concurrency(report, log)
    return report
