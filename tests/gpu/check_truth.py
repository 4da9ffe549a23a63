# SPDX-License-Identifier: MIT
"""Compares the output of truth.c with the log, by way of the Chrome trace:
every launch, its shape, its place and its parent."""

import collections
import json

# A kernel takes 1 us or 2 to begin and to end, and the clock that it reads has
# steps of up to 1 us.
SPIN_SLACK_NS = 5000
SPIN_SLACK = 0.03
# Events tick in steps of 0.5 us. Recorded kernels of a stream are some
# microseconds apart, in which their times are stored.
EVENT_SLACK_NS = 10000
EVENT_GAP_NS = 4000
# The largest difference between CUPTI's device times and the host's; 9 us have
# been seen.
SKEW_NS = 50000
# For the times of a stream's kernels, which are rounded one by one.
OVERLAP_NS = 1000
# Threads get registers in eights; on some GPUs at least 16.
REGISTERS_STEP = 8
REGISTERS_LEAST = 16
MEMORY_SLACK = 64 << 20


CALLS = ("cuda_driver", "cuda_runtime")
COPY_CALLS = {
    "HtoD": "cuMemcpyHtoDAsync_v2",
    "DtoH": "cuMemcpyDtoHAsync_v2",
    "DtoD": "cuMemcpyDtoDAsync_v2",
}


class Log:
    """The trace's events, by kind; times in nanoseconds."""

    def __init__(self, trace):
        slices = [e for e in trace["traceEvents"] if e["ph"] == "X"]
        for event in slices:
            event["start"] = round(event["ts"] * 1000)
            event["end"] = event["start"] + round(event["dur"] * 1000)
            event.setdefault("args", {})
        self.kernels = [e for e in slices if e.get("cat") == "kernel"]
        self.copies = [e for e in slices if e.get("cat") == "gpu_memcpy"]
        self.memsets = [e for e in slices if e.get("cat") == "gpu_memset"]
        self.syncs = [e for e in slices if e.get("cat") == "cuda_sync"]
        self.calls = {
            e["args"]["correlation"]: e
            for e in slices
            if e.get("cat") in CALLS and "correlation" in e["args"]
        }
        self.ranges = {
            e["args"]["External id"]: e
            for e in slices
            if e.get("cat") == "cpu_op" and "External id" in e["args"]
        }
        self.captures = {
            e["args"]["captured graph node"]: e
            for e in slices
            if e.get("cat") in CALLS and "captured graph node" in e["args"]
        }
        self.losses = trace["otherData"]["losses"]
        self.state = trace["otherData"]["facts"].get("gpu.state")

    def parent(self, event):
        """The range in which an activity was launched, or None."""
        return self.ranges.get(event["args"].get("External id"))


def name_of(event):
    return None if event is None else event["name"]


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
            self.failures.append(f"not so: {what}")


def check_recording(report, case, log, launches):
    """Nothing is missing, except work that was running when the program
    ended."""
    report.equal("state", log.state, "recording")
    if case != "exit":
        report.equal("losses", log.losses, {})
        return launches
    # A kernel that had not begun has no times; one that has not ended is there.
    lost = log.losses.get("device_times", 0)
    report.equal("kernels and losses", len(log.kernels) + lost, len(launches))
    return launches[: len(log.kernels)]


def shape_of(kernel):
    args = kernel["args"]
    return {
        "name": kernel["name"],
        "block": args["block"],
        "static": args.get("static shared memory", 0),
        "dynamic": args.get("dynamic shared memory", 0),
        "local": args.get("local memory per thread", 0),
    }


def check_registers(report, kernel, used):
    """CUPTI reports the registers used, or those assigned."""
    got = kernel["args"]["registers per thread"]
    given = -(-used // REGISTERS_STEP) * REGISTERS_STEP
    report.true(
        f"{kernel['name']} has {got} registers, and uses {used}",
        used <= got <= max(given, REGISTERS_LEAST),
    )


def check_place(report, log, kernel, what):
    """A kernel does not start before its call, which is in its range."""
    call = log.calls.get(kernel["args"]["correlation"])
    parent = log.parent(kernel)
    report.true(f"{what} has a call", call is not None)
    report.equal(f"range of {what}", name_of(parent), what)
    if call is None or parent is None:
        return
    early = call["start"] - kernel["start"]
    report.true(f"{what} starts {early} ns early", early < SKEW_NS)
    report.true(
        f"the call of {what} lies in its range",
        parent["start"] <= call["start"] and call["end"] <= parent["end"],
    )


def check_launches(report, log, launches):
    """Every kernel is the one with its grid, in that launch's range."""
    by_number = {truth["launch"]: truth for truth in launches}
    seen = set()
    report.equal("kernels", len(log.kernels), len(launches))
    for kernel in log.kernels:
        number = kernel["args"]["grid"][0] - 1
        truth = by_number.get(number)
        seen.add(number)
        if truth is None:
            report.true(f"a kernel has a grid of {number + 1}", False)
            continue
        got = shape_of(kernel)
        wanted = {key: truth[key] for key in got}
        wanted["block"] = [truth["block"], 1, 1]
        report.equal(f"shape of r{number}", got, wanted)
        report.equal(
            f"grid of r{number}", kernel["args"]["grid"], [number + 1, 1, 1]
        )
        check_registers(report, kernel, truth["registers"])
        check_place(report, log, kernel, f"r{number}")
    report.equal("launches seen", seen, set(by_number))


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
        kernels.sort(key=lambda kernel: kernel["start"])
        for first, second in zip(kernels, kernels[1:]):
            report.true(
                f"kernels of stream {key} do not overlap",
                second["start"] >= first["end"] - OVERLAP_NS,
            )
            report.true(
                f"kernels of stream {key} are in order",
                first["args"]["grid"][0] < second["args"]["grid"][0],
            )


def by_call(events, what):
    """How many calls did this much of each kind: the driver may take several
    steps."""
    done = collections.Counter()
    for event in events:
        args = event["args"]
        done[what(args), args["correlation"]] += args.get("bytes", 0)
    return collections.Counter(
        (kind, size) for (kind, _), size in done.items()
    )


def byte_of(args):
    """The value of a byte, reported as a byte or as a word of four."""
    return args.get("value", 0) & 0xFF


def check_copies(report, log, truths):
    wanted = collections.Counter(
        (t["copy"], t["bytes"]) for t in truths if "copy" in t
    )
    got = by_call(log.copies, lambda args: args.get("kind"))
    report.equal("copies", got, wanted)
    wanted = collections.Counter(
        (t["value"], t["memset"]) for t in truths if "memset" in t
    )
    report.equal("memsets", by_call(log.memsets, byte_of), wanted)
    for event in log.copies + log.memsets:
        kind = event["args"].get("kind")
        call = log.calls.get(event["args"]["correlation"])
        report.equal(
            f"call of {event['name']}",
            name_of(call),
            COPY_CALLS.get(kind, "cuMemsetD8Async"),
        )


def is_wait(call):
    return call is not None and "Synchronize" in call["name"]


def check_syncs(report, log, truths):
    """As many as the program made, without those that other calls are based on;
    the work that they wait for is over when they end."""
    wanted = collections.Counter(t["sync"] for t in truths if "sync" in t)
    got = collections.Counter(
        sync["name"].split()[0].lower()
        for sync in log.syncs
        if is_wait(log.calls.get(sync["args"].get("correlation")))
    )
    report.equal("syncs", got, wanted)
    last = collections.Counter()
    for sync in log.syncs:
        context = sync["args"]["context"]
        last[context] = max(last[context], sync["end"])
    for kernel in log.kernels if log.syncs else ():
        late = kernel["end"] - last[kernel["args"]["context"]]
        report.true(f"a kernel ends {late} ns too late", late < SKEW_NS)


def check_durations(report, log, truths):
    lengths = {
        kernel["args"]["grid"][0] - 1: kernel["end"] - kernel["start"]
        for kernel in log.kernels
    }
    for truth in truths:
        if "spins" not in truth:
            continue
        ns = truth["ns"]
        first = truth["first"]
        spins = [lengths.get(first + i, 0) for i in range(truth["spins"])]
        for got in spins:
            report.true(
                f"a kernel of {ns} ns lasts {got} ns",
                abs(got - ns) <= max(SPIN_SLACK_NS, SPIN_SLACK * ns),
            )
        events = truth["event_ms"] * 1e6
        slack = EVENT_SLACK_NS + EVENT_GAP_NS * len(spins)
        report.true(
            f"events say {events:.0f} ns, the log {sum(spins)} ns",
            -SPIN_SLACK_NS <= events - sum(spins) <= slack,
        )


def check_concurrency(report, log):
    """The kernels of the four streams overlap for more than half of the
    time."""
    spans = [(kernel["start"], kernel["end"]) for kernel in log.kernels]
    work = sum(end - start for start, end in spans)
    busy = 0
    last = 0
    for start, end in sorted(spans):
        busy += max(0, end - max(start, last))
        last = max(last, end)
    report.true(
        f"streams overlap: {work} ns of work in {busy} ns",
        work > 2 * busy,
    )


def check_captures(report, log, truth, kernels):
    """Each kernel of the graph ran as one node, and has the range that captured
    it."""
    nodes = {
        (
            kernel["args"]["graph node id"],
            kernel["args"].get("captured graph node"),
            kernel["args"]["grid"][0],
        )
        for kernel in kernels
    }
    report.equal("nodes of kernels", len(nodes), truth["graph"])
    for node, captured, grid in nodes:
        call = log.captures.get(captured)
        parent = None if call is None else log.parent(call)
        report.equal(
            f"range that captured node {node}",
            name_of(parent),
            f"capture{grid - 1}",
        )


def check_graph(report, log, truth):
    """Every node of every replay, in the range that launched it, and of one
    call. The driver may make kernels of the copy and the memset."""
    work = [
        event
        for event in log.kernels + log.copies + log.memsets
        if "graph node id" in event["args"]
    ]
    kernels = [event for event in work if event["name"] == truth["name"]]
    nodes = collections.Counter(e["args"]["graph node id"] for e in work)
    calls = collections.defaultdict(collections.Counter)
    for event in work:
        correlation = event["args"]["correlation"]
        calls[name_of(log.parent(event))][correlation] += 1
    replays = truth["replays"]
    names = {f"r{truth['first'] + i}" for i in range(replays)}
    per_replay = truth["graph"] + truth["others"]
    report.equal("kernels", len(kernels), truth["graph"] * replays)
    report.equal(
        "kernels of another kind",
        len(log.kernels) + len(log.copies) + len(log.memsets),
        len(work),
    )
    report.equal("nodes", len(nodes), per_replay)
    report.equal("runs of each node", set(nodes.values()), {replays})
    report.equal("graphs", len({e["args"]["graph id"] for e in work}), 1)
    report.equal("ranges of replays", set(calls), names)
    for name, correlations in calls.items():
        report.equal(
            f"nodes of the call in {name}",
            list(correlations.values()),
            [per_replay],
        )
    check_captures(report, log, truth, kernels)


def check_stress(report, stats, truth):
    """By the table of functions: as a trace it would be a gigabyte."""
    rows = {row["name"]: row for row in stats["rows"]}
    calls = {name: row["ncalls"] for name, row in rows.items()}
    report.equal("losses", stats["lost"], {})
    report.equal("kernels", calls.get("empty_k"), truth["stress"])
    report.equal("launches", calls.get("cuLaunchKernel"), truth["stress"])
    report.equal("syncs", calls.get("cuStreamSynchronize"), truth["syncs"])
    spent = {name: row["device_ns"] for name, row in rows.items()}
    report.equal(
        "time of kernels of the range", spent["stress"], spent["empty_k"]
    )
    report.true(
        f"{truth['memory_lost']} bytes less memory of the device are few",
        truth["memory_lost"] < MEMORY_SLACK,
    )
    report.true(
        f"{truth['memory_grown']} bytes more memory of the host are few",
        truth["memory_grown"] < MEMORY_SLACK,
    )


def check(case, truth_path, seen_path):
    """A Report on one case, from its trace; for the case "stress", from the
    table of `ctprof stats --json`."""
    with open(truth_path, encoding="utf-8") as file:
        truths = [json.loads(line) for line in file]
    with open(seen_path, encoding="utf-8") as file:
        return compare(case, truths, json.load(file))


def compare(case, truths, seen):
    """A Report that compares a case's own output with its log."""
    report = Report()
    if case == "stress":
        check_stress(report, seen, truths[-1])
        return report
    log = Log(seen)
    launches = [truth for truth in truths if "launch" in truth]
    launches = check_recording(report, case, log, launches)
    if case == "graph":
        check_graph(report, log, truths[-1])
    else:
        check_launches(report, log, launches)
        check_streams(report, log, launches)
        check_copies(report, log, truths)
    check_syncs(report, log, truths)
    check_durations(report, log, truths)
    if case == "streams":
        check_concurrency(report, log)
    return report
