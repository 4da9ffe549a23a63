# SPDX-License-Identifier: MIT
"""Idle times of devices with their causes, and the host's ranges to optimize
first, for tests/bench/bench_document.py."""
import bisect
import collections
import itertools
import math
import re

from bench_document_nest import HALF, in_order, nest

WORK = frozenset(("kernel", "gpu_memcpy", "gpu_memset"))
API = frozenset(("cuda_runtime", "cuda_driver"))
LAUNCHES = ("cudaLaunchKernel", "__cudaLaunchKernel",
            "cudaLaunchCooperativeKernel")
NO_KERNELS = ("mem", "cpy", "alloc", "free")
SOURCE = re.compile(r"\.py\(.*\)")


# ---- gaps -----------------------------------------------------------------

def gaps(threads, work, top):
    """Busy and idle time of each device, by cause and by the meanwhile work of
    the thread that launches next."""
    launches = {}
    for thread, ranges in threads.items():
        for event in ranges:
            if event.get("cat") in API and "correlation" in event["args"]:
                launches[event["args"]["correlation"]] = event["ts"], thread
    everything = itertools.chain(work, *threads.values())
    spans = [(event["ts"], event["ts"] + event["dur"])
             for event in everything]
    first = min((start for start, _ in spans), default=0)
    last = max((end for _, end in spans), default=0)
    devices = collections.defaultdict(list)
    for event in work:
        devices[event["args"]["device"]].append(event)
    doing = {}
    rows = [charge(number, devices[number], (first, last), launches,
                   lambda thread: doing.get(thread) or doing.setdefault(
                       thread, timeline(threads[thread])))
            for number in sorted(devices)]
    for row in rows:
        row["places"] = row["places"][:top]
    return rows


def charge(number, work, span, launches, doing):
    """Idle time up to the launch is the host's; the rest is queueing."""
    work.sort(key=in_order)
    places = collections.defaultdict(float)
    end, idle = span[0], 0.0
    for event in work:
        start = event["ts"]
        if start > end:
            idle += start - end
            launch = launches.get(event["args"].get("correlation"))
            if launch is None:
                places["unknown", "", ""] += start - end
            else:
                told = min(start, max(end, launch[0]))
                if end < told:
                    look(doing(launch[1]), end, told, places)
                if told < start:
                    places["queued", "", ""] += start - told
        end = max(end, start + event["dur"])
    if span[1] > end:
        idle += span[1] - end
        places["nothing_launched", "", ""] += span[1] - end
    mean, most = queue_depth(work, launches, span)
    return {"device": number, "span": span[1] - span[0], "idle": idle,
            "busy": span[1] - span[0] - idle, "kernel": union(
                event for event in work if event["cat"] == "kernel"),
            "depth_mean": mean, "depth_max": most,
            "places": [[*place, time] for place, time in sorted(
                places.items(), key=lambda item: -item[1])]}


def union(work):
    total, end = 0.0, -math.inf
    for event in work:
        start, stop = event["ts"], event["ts"] + event["dur"]
        if stop > end:
            total += stop - max(start, end)
            end = stop
    return total


def queue_depth(work, launches, span):
    """Mean and maximum of the kernels that are launched and have not begun."""
    steps = []
    for event in work:
        launch = launches.get(event["args"].get("correlation"))
        if event["cat"] == "kernel" and launch and launch[0] < event["ts"]:
            steps += (launch[0], 1), (event["ts"], -1)
    steps.sort()
    depth = most = total = since = 0
    for time, step in steps:
        total += depth * (time - since)
        since = time
        depth += step
        most = max(most, depth)
    return total / (span[1] - span[0]) if span[1] > span[0] else 0.0, most


def timeline(ranges):
    """Times at which the innermost range of a thread changes, and the new
    range."""
    ranges.sort(key=in_order)
    outside = "host", "", ""
    times, states = [-math.inf], [outside]
    stack = [(math.inf, outside)]
    for event in ranges:
        start = event["ts"]
        while stack[-1][0] < start + HALF:
            times.append(stack.pop()[0])
            states.append(stack[-1][1])
        state = describe(event, stack[-1][1])
        stack.append((start + event["dur"], state))
        times.append(start)
        states.append(state)
    while len(stack) > 1:
        times.append(stack.pop()[0])
        states.append(stack[-1][1])
    return times, states


def describe(event, around):
    """Cause, range, and call of the API within it."""
    name, cause = event["name"], around[0]
    if event.get("cat") in API:
        if name.startswith(("cudaMemcpy", "hipMemcpy")):
            cause = "copies"
        elif name.endswith("Synchronize"):
            cause = "synchronization"
        return cause, around[1], name
    return "data_loading" if "DataLoader" in name else cause, name, ""


def look(line, start, end, places):
    times, states = line
    at = bisect.bisect_right(times, start) - 1
    while start < end:
        until = times[at + 1] if at + 1 < len(times) else end
        until = min(until, end)
        if until > start:
            places[states[at]] += until - start
            start = until
        at += 1


# ---- what to optimize -----------------------------------------------------

def optimize(threads, work, top):
    """Ranges in which the queue ran empty, by idle and self time."""
    calls, done = [], []
    for event in itertools.chain.from_iterable(threads.values()):
        if event.get("cat") in API and event["name"].startswith(LAUNCHES):
            calls.append((event["ts"], event["ts"] + event["dur"],
                          event["args"].get("correlation")))
    for event in work:
        name = event["name"].lower()
        if not any(part in name for part in NO_KERNELS):
            done.append((event["ts"], event["ts"] + event["dur"],
                         event["args"].get("correlation")))
    points = sample_queue(sorted(calls), sorted(done))
    nested = []
    for ranges in threads.values():
        ranges = [event for event in ranges if event.get("cat") not in API]
        nested.append((ranges, *nest(ranges)))
    ordered = [ends for ranges, _, _ in nested for ends in
               ((ranges[0], ranges[-1]) if ranges else ())]
    if not points or not ordered:
        return []
    idle = Covered(find_idle(points, min(event["ts"] for event in ordered),
                             max(ordered, key=last_key)))
    return rank(nested, idle, Covered(find_falling(points)), top)


def last_key(event):
    return event["ts"], -event["dur"]


def sample_queue(calls, done):
    """(start, end, depth) at each launch and kernel, in order of time."""
    position = {}
    for number, kernel in enumerate(done):
        position.setdefault(kernel[2], number)
    points = sorted([(*call[:2], position.get(call[2])) for call in calls] +
                    [(*kernel[:2], None) for kernel in done],
                    key=lambda point: point[0])
    samples, mapped, latest, begun = [], 0, -1, 0
    for start, end, number in points:
        if number is not None and number >= mapped:
            latest = mapped = number
        while begun < len(done) and done[begun][0] <= start:
            begun += 1
        samples.append((start, end, max(0, latest - begun + 1)))
    return samples


def find_idle(points, first, last):
    spans = [(first, points[0][0]),
             (points[-1][1], last["ts"] + last["dur"])]
    since = None
    for start, end, depth in points:
        if depth == 0 and since is None:
            since = end
        elif depth > 0 and since is not None:
            spans.append((since, start))
            since = None
    return spans


def find_falling(points):
    """From each empty queue back to the preceding peak of at least 4."""
    spans, peak, zero, after = [], None, None, None
    for start, _, depth in reversed(points):
        if depth == 0:
            if peak is not None:
                spans.append((peak[1], zero))
                peak, zero = None, None
            elif zero is None:
                zero = start
        elif zero is not None and depth >= 4 and (
                peak is None or depth > peak[0]):
            peak = depth, start
    if peak is not None:
        spans.append((peak[1], zero))
    return spans


class Covered:
    """The part of a time that is inside several spans."""

    def __init__(self, spans):
        self.starts, self.ends, self.sums = [], [], []
        total, reached = 0.0, -math.inf
        for start, end in sorted(spans):
            start = max(start, reached)
            if start < end:
                self.starts.append(start)
                self.ends.append(end)
                self.sums.append(total)
                total += end - start
                reached = end

    def until(self, time):
        at = bisect.bisect_right(self.starts, time) - 1
        if at < 0:
            return 0.0
        return self.sums[at] + min(time, self.ends[at]) - self.starts[at]


def rank(nested, idle, falling, top):
    rows = []
    for ranges, parents, own in nested:
        for number, event in enumerate(ranges):
            start, length = event["ts"], event["dur"]
            if falling.until(start + length) > falling.until(start):
                rest = idle.until(start + length) - idle.until(start)
                rows.append((rest / length if length else 0.0, own[number],
                             rest, number, ranges, parents))
    if not rows:
        return []
    shares = standard([row[0] for row in rows])
    owns = standard([row[1] for row in rows])
    scored = [(share + 0.6 * self_time, row)
              for share, self_time, row in zip(shares, owns, rows)]
    scored.sort(key=lambda one: one[0], reverse=True)
    return [{"name": ranges[number]["name"], "score": score,
             "location": locate(number, ranges, parents),
             "start": ranges[number]["ts"], "duration": ranges[number]["dur"],
             "idle": rest, "self": self_time}
            for score, (_, self_time, rest, number, ranges, parents)
            in scored[:top]]


def standard(values):
    """Distances from the mean, in standard deviations of a sample."""
    mean = math.fsum(values) / len(values)
    square = math.fsum((value - mean) ** 2 for value in values)
    if len(values) < 2 or square == 0:
        return [0.0] * len(values)
    deviation = math.sqrt(square / (len(values) - 1))
    return [(value - mean) / deviation for value in values]


def locate(number, ranges, parents):
    while number >= 0:
        if SOURCE.search(ranges[number]["name"]):
            return ranges[number]["name"]
        number = parents[number]
    return ""
