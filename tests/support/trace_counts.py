# SPDX-License-Identifier: MIT
"""The contents of a Chrome trace, by a second and naive implementation of the
rules.

usage: trace_counts.py FILE [external|correlation]

Prints a summary as JSON. chrome_reference.py compares ctprof's results for the
same file with these counts. Everything is held in memory, numbers are exact
decimals, and no code is taken from the reader.

Slices are events X, and B with its E. An E ends the innermost open slice with
its name on its thread, or, without a name, the innermost one. Slices are nested
in order of start, the longer first. A slice is inside the one that is open when
it starts, unless it ends later: then it is a separate call.
Among equal slices, the first in the file is outer. If the producer writes slices
as they end, those of B are outer, then the last one. Slices without duration keep the
file's order; before the E of a range that ends then, they are inside it.
Function times are cProfile's.

If a slice ends later only by the rounding of times, one of the two is shortened
so that it nests or follows, the one that loses less; if equal, the later one.
"""
import collections
import decimal
import gzip
import json
import posixpath
import re
import sys

# Names of categories, old and new.
OLD_CATEGORIES = {"Operator": "cpu_op", "Kernel": "kernel",
                  "Runtime": "cuda_runtime", "Memcpy": "gpu_memcpy",
                  "Memset": "gpu_memset"}
API = ("cuda_runtime", "cuda_driver")
WORK = ("kernel", "gpu_memcpy", "gpu_memset")
DEVICE = WORK + ("gpu_user_annotation", "cuda_sync")
OPS = ("cpu_op", "user_annotation")
PYTHON = "python_function"
POINTS = "iIRPnTpNODcvV()="  # phases of events without duration
INT64_MAX = 2**63 - 1

# clang's and nvcc's ranges that profiles name with their subject, too: a file,
# a place in one, or a name; for templates in brackets.
FILES = ("Source", "OptModule", "Processing Header File")
PLACES = ("ParseDeclarationOrFunctionDefinition", "EvaluateAsConstantExpr")
NAMED = ("ParseFunctionDefinition", "ParseClass", "ParseTemplate", "DebugType",
         "RunPass", "RunLoopPass", "InstantiateClass", "InstantiateFunction",
         "OptFunction", "CodeGen Function", "Generating Function IR")
INSTANCES = ("Instantiating Template Class", "Instantiating Template Function")
INSTANCE = re.compile(r".*? \[(.*)\]", re.DOTALL)
PLACE = re.compile(r"(.+:[0-9]{1,9}):[0-9]{1,9}", re.DOTALL)

# Calls in Python by JAX, which have no category.
JAX = re.compile(r"\$[^ ].* .+", re.DOTALL)

decimal.getcontext().prec = 60


class Slice:
    """A range of a thread or a device."""

    __slots__ = ("name", "category", "row", "start", "dur", "order", "args",
                 "range", "open", "end_order", "ending", "cut")

    def __init__(self, event, start, dur, order):
        self.name = event.get("name", "")
        category = event.get("cat") or ""
        self.category = OLD_CATEGORIES.get(category, category)
        if not category and JAX.fullmatch(self.name):
            self.category = PYTHON
        self.row = (str(event.get("pid")), str(event.get("tid")))
        self.start = start
        self.dur = dur
        self.order = order
        self.args = event.get("args") or {}
        self.range = event["ph"] == "B"
        self.end_order = 0  # position of its E in the file
        self.ending = False
        self.cut = False  # shortened by an earlier range, and counted
        self.open = False

    @property
    def end(self):
        return self.start + self.dur

    def is_span(self):
        """PyTorch's slice for the whole recording, which is not a call."""
        return self.category == "Trace" and \
            self.name.startswith("PyTorch Profiler (")

    def correlation(self):
        return as_id(self.args.get("correlation"))

    def external(self):
        value = self.args.get("External id")
        return as_id(self.args.get("external id") if value is None else value)


class Cost:
    """The costs of calls of a function, or along an edge."""

    def __init__(self):
        self.ncalls = self.pcalls = self.tottime_ns = self.cumtime_ns = 0

    def add(self, time, own, primitive):
        self.ncalls += 1
        self.tottime_ns += own
        if primitive:
            self.pcalls += 1
            self.cumtime_ns += time

    def as_tuple(self):
        return (self.ncalls, self.pcalls, self.tottime_ns, self.cumtime_ns)


def as_id(value):
    return value if isinstance(value, int) and value > 0 else None


def to_ns(value):
    """Microseconds as nanoseconds, halves away from zero; None if invalid."""
    if isinstance(value, bool) or \
            not isinstance(value, (int, decimal.Decimal, str)):
        return None
    try:
        exact = decimal.Decimal(value) * 1000
        rounded = int(exact.quantize(1, decimal.ROUND_HALF_UP))
    except (decimal.InvalidOperation, ValueError, OverflowError):
        return None
    return rounded if -INT64_MAX <= rounded <= INT64_MAX else None


def read_json(path):
    with open(path, "rb") as file:
        data = file.read()
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    # Some producers write any bytes into names.
    text = data.decode("utf-8", "surrogateescape")
    try:
        return json.loads(text, parse_float=decimal.Decimal, strict=False)
    except json.JSONDecodeError:
        # An unterminated array, which Chrome's own document allows.
        return json.loads(text.rstrip().rstrip(",") + "]",
                          parse_float=decimal.Decimal, strict=False)


def detailed(event):
    """The name of a range of clang's in a profile, without the column of a
    place, and with a file's path normalized."""
    name = event.get("name", "")
    detail = (event.get("args") or {}).get("detail")
    if name not in FILES + PLACES + NAMED + INSTANCES or \
            not isinstance(detail, str) or not detail:
        return name
    if name in INSTANCES and INSTANCE.fullmatch(detail):
        return f"{name} {INSTANCE.fullmatch(detail)[1]}"
    place = PLACE.fullmatch(detail) if name in PLACES else None
    if name in FILES or place:
        return f"{name} {posixpath.normpath(place[1] if place else detail)}"
    return f"{name} {detail}"


def is_header(event):
    """Since clang 19 they do not nest in the range that parses them."""
    return event["ph"] in ("b", "e") and \
        event.get("cat") == event.get("name") == "Source"


def rounding(slices):
    """The most that times of these slices may be off, in nanoseconds: their
    decimal unit, or twice the distance of doubles there unless they have
    digits that doubles do not have."""
    def unit(times):
        return next(unit for unit in (1000, 100, 10, 1)
                    if all(time % unit == 0 for time in times))

    starts = unit([s.start for s in slices])
    result = max(starts, unit([s.dur for s in slices]))
    last_us = max((s.end for s in slices), default=0) // 1000
    spacing = 1 + 1000 * 2**max(last_us, 0).bit_length() // 2**53
    if spacing > 1 and (starts > 1 or spacing < 10):
        result = max(result, 2 * spacing)
    return result


class Trace:
    """The events of a file, sorted by kind; with `details` named as in
    profiles."""

    def __init__(self, path, details=False):
        self.details = details
        self.header = None
        document = read_json(path)
        self.events = document
        self.children_first = False
        self.of_clang = isinstance(document, dict) and \
            "beginningOfTime" in document
        # nvcc's ranges that LLVM opens have a subject, too.
        self.of_nvcc = isinstance(document, dict) and \
            "targetArchs" in document.get("otherData", {})
        self.samples = 0
        if isinstance(document, dict):
            self.events = document.get("traceEvents", [])
            self.children_first = "beginningOfTime" in document or \
                "viztracer_metadata" in document
            self.samples = len(document.get("samples", []))
        self.host, self.device = [], []
        self.kinds = collections.Counter()
        self.bad = self.left_out = self.stray_ends = 0
        self.last = None
        self.opened = collections.defaultdict(list)
        self.names = collections.defaultdict(list)  # without an end so far
        marks = []
        for order, event in enumerate(self.events):
            self.take(order, event, marks)
        # In order of time; at one time, in the order of the file.
        marks.sort(key=lambda mark: mark[0])
        for start, order, event in marks:
            self.take_mark(start, order, event)
        self.rounding = rounding([s for s in self.host if not s.range])
        self.close_open()

    def take(self, order, event, marks):
        if event == {}:  # JAX's last, and nvcc's first
            return
        phase = event.get("ph") if isinstance(event, dict) else None
        if phase == "M":
            self.left_out += event.get("name") == "process_labels" and \
                re.match("CPU$|GPU ", event["args"]["labels"]) is not None
            return
        start = to_ns(event.get("ts")) if phase is not None else None
        dur = 0
        if phase == "X":
            dur = to_ns(event.get("dur", event.get("tdur")))
        if start is None or dur is None or dur < 0:
            self.bad += 1
            return
        if self.is_sum(event) or self.is_arrow(event):
            self.left_out += 1
            return
        self.kinds[phase] += 1
        self.last = max(start + dur, start if self.last is None else self.last)
        if phase == "X":
            if self.details and event.get("cat") is None:
                event = dict(event, name=detailed(event))
            self.add(Slice(event, start, dur, order))
        elif self.details and is_header(event):
            self.take_header(order, start, event)
        elif phase in ("B", "E"):
            marks.append((start, order, event))

    def take_header(self, order, start, event):
        """Begin and end are adjacent in the file."""
        if event["ph"] == "b":
            self.bad += self.header is not None
            self.header = Slice(dict(event, cat=None, name=detailed(event)),
                                start, 0, order)
            self.header.row += ("headers",)
            return
        header, self.header = self.header, None
        header.dur = start - header.start
        self.add(header)

    def is_sum(self, event):
        """clang's rows of totals, which are not among their summands."""
        return self.children_first and event.get("ts") == 0 and \
            event.get("name", "").startswith("Total ")

    def is_arrow(self, event):
        """Kineto's, from a call to its work, which correlations give, too."""
        return event["ph"] in ("s", "t", "f") and (
            event.get("cat") in ("ac2g", "async_cpu_to_gpu", "async_gpu") or
            (event.get("cat"), event.get("name")) == ("async", "launch"))

    def take_mark(self, start, order, event):
        row = (str(event.get("pid")), str(event.get("tid")))
        opened, names = self.opened[row], self.names[row]
        name = event.get("name")
        if event["ph"] == "B":
            opened.append(Slice(event, start, 0, order))
            names.append(name)
        elif not opened or name is not None and name not in names:
            self.stray_ends += 1
        else:
            # If two ranges are ended crosswise, one took the other's end.
            names.remove(names[-1] if name is None else name)
            begun = opened.pop()
            begun.dur = start - begun.start
            begun.end_order = order
            begun.args = dict(begun.args, **(event.get("args") or {}))
            self.add(begun)

    def close_open(self):
        for stack in self.opened.values():
            for begun in stack:
                begun.dur = self.last - begun.start
                begun.open = True
                self.add(begun)

    def add(self, slice_):
        if slice_.category in DEVICE:
            self.device.append(slice_)
        else:
            self.host.append(slice_)

    def points(self):
        return self.samples + sum(self.kinds[phase] for phase in POINTS)

    def slices_by_name(self):
        return collections.Counter(
            slice_.name for slice_ in self.host + self.device)


class Calls:
    """The slices of the host as calls, and the callers of launches. For calls
    whose names have one `key`, cumtime is that of the outermost."""

    def __init__(self, trace, key=str):
        self.key = key
        self.functions = collections.defaultdict(Cost)
        self.edges = collections.defaultdict(Cost)
        self.overlaps = 0
        self.cut = 0  # in Python: overlaps with a range are cut off
        self.rounding = trace.rounding
        self.rounded = 0
        # By id: the names of all open calls, from the outermost on.
        self.by_correlation = {}
        self.by_external = collections.defaultdict(list)  # with their starts
        rows = collections.defaultdict(list)
        for slice_ in trace.host:
            if not slice_.is_span():
                rows[slice_.row].append(slice_)
        sign = -1 if trace.children_first else 1
        self.children_first = trace.children_first
        for slices in rows.values():
            ends = {}
            for range_ in slices:
                if range_.range and range_.dur > 0:
                    ends[range_.end] = max(ends.get(range_.end, 0),
                                           range_.end_order)
            for slice_ in slices:
                slice_.ending = slice_.dur == 0 and not slice_.open and \
                    ends.get(slice_.start, 0) > slice_.order
            slices.sort(key=lambda s: (
                s.start, not s.ending, s.order if s.ending else 0, -s.dur,
                not s.range and sign < 0, sign * s.order))
            self.nest(slices)

    def nest(self, slices):
        stack = []
        late = []
        slices.reverse()
        while slices or late:
            if late and (not slices or self.is_first(late[0], slices[-1])):
                slice_ = late.pop(0)
            else:
                slice_ = slices.pop()
            while stack and self.is_over(stack[-1][0], slice_):
                self.end(stack)
            outlived = [frame[0] for frame in stack
                        if frame[0].end < slice_.end]
            of_python = {other.category == PYTHON for other in outlived}
            if slice_.category in (*OPS, "") and of_python == {True}:
                self.cut += sum(not other.cut for other in outlived)
                for other in reversed(outlived):
                    other.dur = slice_.start - other.start
                    self.end(stack)
            elif slice_.category == PYTHON and of_python == {False} and \
                    min(other.end for other in outlived) > slice_.start:
                end = slice_.end
                slice_.start = max(other.end for other in outlived)
                slice_.dur = end - slice_.start
                late.append(slice_)
                late.sort(key=lambda s: s.start)
                self.cut += not slice_.cut
                slice_.cut = True
                continue
            elif outlived and slice_.cut:
                slice_.dur = min(other.end for other in outlived) - \
                    slice_.start
            elif not self.round(stack, slice_):
                self.overlaps += 1
                self.functions[slice_.name].add(slice_.dur, slice_.dur, True)
                self.remember([[slice_, 0]])
                continue
            stack.append([slice_, 0])
            self.remember(stack)
        while stack:
            self.end(stack)

    def round(self, stack, slice_):
        """Removes overlaps by rounding; whether the slice then nests."""
        while stack and stack[-1][0].end < slice_.end:
            inner = stack[-1][0]
            overlap, overrun = inner.end - slice_.start, slice_.end - inner.end
            if min(overlap, overrun) > self.rounding:
                return False
            self.rounded += 1
            if overlap < overrun:
                inner.dur -= overlap
                self.end(stack)
            else:
                slice_.dur -= overrun
        return True

    @staticmethod
    def is_first(late, next_):
        """A late call comes before others, but after events inside the ranges
        that end then, and inside those without an end."""
        if late.start == next_.start:
            return not next_.ending and not next_.open
        return late.start < next_.start

    def is_over(self, slice_, next_):
        """Slices without duration may contain each other, except calls of an
        API, which have no callees."""
        now = next_.start
        if slice_.open or slice_.end != now:
            return not slice_.open and slice_.end < now
        if slice_.range and (next_.ending or next_.dur == 0 and
                             not self.children_first):
            return slice_.end_order < next_.order
        return slice_.start < now or slice_.category in API or slice_.ending

    def end(self, stack):
        slice_, children = stack.pop()
        path = [frame[0].name for frame in stack]
        self.functions[slice_.name].add(
            slice_.dur, slice_.dur - children,
            self.key(slice_.name) not in map(self.key, path))
        if stack:
            stack[-1][1] += slice_.dur
            edge = (path[-1], slice_.name)
            self.edges[edge].add(slice_.dur, slice_.dur - children,
                                 edge not in zip(path, path[1:]))

    def remember(self, stack):
        slice_ = stack[-1][0]
        path = list(stack)
        if slice_.category in API:
            while path and path[-1][0].category in API:
                path.pop()
            names = tuple(frame[0].name for frame in path or stack)
            self.by_correlation[slice_.correlation()] = names
        elif slice_.external() is not None:
            self.by_external[slice_.external()].append(
                (slice_.start, tuple(frame[0].name for frame in path)))


class Work:
    """Device activities, and the functions of the host that launched them."""

    def __init__(self, trace, calls, join="auto"):
        self.calls = calls
        self.work = [s for s in trace.device if s.category in WORK]
        self.use_external = join != "correlation" and \
            (join == "external" or self.external_is_real())
        self.use_correlation = join != "external"
        self.functions = collections.defaultdict(Cost)
        self.edges = collections.defaultdict(Cost)
        self.below = collections.Counter()
        self.unmatched = 0
        for slice_ in self.work:
            self.add(slice_)

    def external_is_real(self):
        pairs = [(s.external(), s.correlation()) for s in self.work]
        return any(pair[0] is not None and pair[0] != pair[1]
                   for pair in pairs)

    def path(self, slice_):
        path = None
        if self.use_correlation:
            path = self.calls.by_correlation.get(slice_.correlation())
        if path is None and self.use_external:
            path = self.find_op(slice_)
        return path if slice_.correlation() or slice_.external() else None

    def find_op(self, slice_):
        """The last one that began before the work had ended: if the ids are
        unrelated numbers, the operator may be later than the work."""
        ops = [op for op in self.calls.by_external.get(slice_.external(), ())
               if op[0] <= slice_.end]
        return max(ops, key=lambda op: op[0])[1] if ops else None

    def add(self, slice_):
        path = self.path(slice_)
        key = (slice_.name, self.number(slice_))
        self.functions[key].add(slice_.dur, slice_.dur, True)
        if path is None:
            self.unmatched += 1
            return
        self.edges[path[-1], key].add(slice_.dur, slice_.dur, True)
        for name in set(path):
            self.below[name] += slice_.dur

    @staticmethod
    def number(slice_):
        """The device's."""
        return int(slice_.args.get("device", slice_.row[0]))


def main():
    trace = Trace(sys.argv[1])
    calls = Calls(trace)
    work = Work(trace, calls, *sys.argv[2:3])
    json.dump({
        "events": len(trace.events),
        "kinds": dict(sorted(trace.kinds.items())),
        "bad": trace.bad,
        "left_out": trace.left_out,
        "stray_ends": trace.stray_ends,
        "open": sum(s.open for s in trace.host),
        "ranges": len(trace.host),
        "device": len(trace.device),
        "functions": len(calls.functions),
        "total_ns": sum(c.tottime_ns for c in calls.functions.values()),
        "overlaps": calls.overlaps,
        "cut_calls": calls.cut,
        "rounded_ranges": calls.rounded,
        "work": len(work.work),
        "work_ns": sum(s.dur for s in work.work),
        "external": work.use_external,
        "unmatched": work.unmatched,
    }, sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
