# SPDX-License-Identifier: MIT
"""A profiler state that follows the rules of spec 01 to the letter.
test_dynamo.py compares with it, and bench_state.py measures it beside ours."""

import collections
import dataclasses

Sum = collections.namedtuple("Sum", "ncalls pcalls tottime cumtime callers")


@dataclasses.dataclass
class Entry:
    func_name: str
    filename: str
    firstlineno: int
    start_time_ns: int
    child_time_ns: int
    is_primitive_call: bool

    @property
    def place(self):
        return (self.func_name, self.filename, self.firstlineno)


class NaiveState:
    """The stack as a list; recursion is found by searching it."""

    def __init__(self):
        self.stack = []

    def push(self, func_name, filename, firstlineno, start_time_ns):
        primitive = True
        for entry in self.stack:
            if (entry.func_name == func_name and entry.filename == filename
                    and entry.firstlineno == firstlineno):
                primitive = False
        self.stack.append(Entry(func_name, filename, firstlineno,
                                start_time_ns, 0, primitive))
        return primitive

    def pop(self):
        return self.stack.pop() if self.stack else None

    def add_child_time(self, child_cumtime_ns):
        if self.stack:
            self.stack[-1].child_time_ns += child_cumtime_ns


def _edge_primitive(timing, style):
    if style == "dynamo":
        return timing.is_primitive_call
    path = [*timing.call_stack,
            (timing.func_name, timing.filename, timing.firstlineno)]
    edges = list(zip(path, path[1:]))
    return edges[-1] not in edges[:-1]


def sums(timings, style):
    """{function: Sum of integers}, each with {caller: Sum}."""
    total = {}
    for timing in timings:
        key = (timing.filename, timing.firstlineno, timing.func_name)
        primitive = timing.is_primitive_call
        n, p, tot, cum, callers = total.get(key, (0, 0, 0, 0, {}))
        total[key] = Sum(n + 1, p + primitive, tot + timing.tottime_ns,
                         cum + primitive * timing.cumtime_ns, callers)
        if timing.caller_filename is None:
            continue
        caller = (timing.caller_filename, timing.caller_firstlineno,
                  timing.caller_func_name)
        primitive = _edge_primitive(timing, style)
        timed = primitive or style == "dynamo"
        n, p, tot, cum, _ = callers.get(caller, (0, 0, 0, 0, None))
        callers[caller] = Sum(n + 1, p + primitive, tot + timing.tottime_ns,
                              cum + timed * timing.cumtime_ns, None)
    for entry in list(total.values()):
        for caller in entry.callers:
            total.setdefault(caller, Sum(0, 0, 0, 0, {}))
    return total


def entries(timings, style="dynamo"):
    """The expected content of the pstats file."""
    return {key: (s.pcalls, s.ncalls, s.tottime / 1e9, s.cumtime / 1e9,
                  {caller: (e.ncalls, e.pcalls, e.tottime / 1e9,
                            e.cumtime / 1e9)
                   for caller, e in s.callers.items()})
            for key, s in sums(timings, style).items()}
