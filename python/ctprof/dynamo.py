# SPDX-License-Identifier: MIT
"""The frames that torch.compile traces, as a profile and in the log.

    with ctprof.dynamo.Profile() as profile:
        compiled(x)
    profile.print_stats("tottime")

install() records the same in any recording of ctprof's. DynamoProfilerState is
a drop-in replacement for the profiler state of torch._dynamo: a compiler's
tracer pushes a function when it begins to trace it, pops it at the
end, and records how long that took:

    state = DynamoProfilerState()
    state.push(code.co_name, code.co_filename, code.co_firstlineno,
               time.time_ns())
    ...
    entry = state.pop()
    cumtime_ns = time.time_ns() - entry.start_time_ns
    state.record_timing(FunctionTraceTiming(
        entry.func_name, entry.filename, entry.firstlineno, cumtime_ns,
        cumtime_ns - entry.child_time_ns, len(code.co_code), depth,
        is_primitive_call=entry.is_primitive_call))
    state.add_child_time(cumtime_ns)

While ctprof records, the calls also go into the log, as a separate timeline;
without a time, push() and pop() make ranges of the thread. A call that is
popped but never timed ends in the log when the next one begins.

A state belongs to one thread. It serves both variants of the original: push()
returns whether the call is primitive, and the entry keeps it.
"""

import io
import logging
import operator
import os
import subprocess
import sys
from dataclasses import dataclass

from . import _program, _session, _stats, profile
from ._compile import install
from ._ctprof import ProfilerStackEntry, State

__all__ = ["DynamoProfilerState", "FunctionTraceTiming", "Profile",
           "ProfilerStackEntry", "install"]

_log = logging.getLogger(__name__)

_NODE_LABELS = ("total-time-percentage", "self-time-percentage", "total-time")


@dataclass(repr=False)
class FunctionTraceTiming:
    """The timing of one call."""

    func_name: str
    filename: str
    firstlineno: int
    cumtime_ns: int
    tottime_ns: int
    bytecode_count: int
    inline_depth: int
    caller_func_name: str | None = None
    caller_filename: str | None = None
    caller_firstlineno: int | None = None
    is_primitive_call: bool = True
    call_stack: tuple[tuple[str, str, int], ...] = ()

    @property
    def trace_time_ns(self):
        """An older name for cumtime_ns."""
        return self.cumtime_ns

    @property
    def trace_time_ms(self):
        return self.cumtime_ns / 1e6

    cumtime_ms = trace_time_ms

    @property
    def tottime_ms(self):
        return self.tottime_ns / 1e6

    @property
    def func_key(self):
        """The function, as a key of pstats."""
        return (self.filename, self.firstlineno, self.func_name)

    @property
    def caller_key(self):
        """The caller, as a key of pstats; None for a root call."""
        if self.caller_func_name is None:
            return None
        return (self.caller_filename or "", self.caller_firstlineno or 0,
                self.caller_func_name)

    def __repr__(self):
        return (f"FunctionTraceTiming({self.func_name} at {self.filename}:"
                f"{self.firstlineno}, cumtime={self.cumtime_ms:.2f}ms, "
                f"tottime={self.tottime_ms:.2f}ms, "
                f"bytecode={self.bytecode_count}, depth={self.inline_depth})")


class _Cost:
    """The sums of a function, or of a caller's calls to it."""

    __slots__ = ("ncalls", "pcalls", "tottime_ns", "cumtime_ns")

    def __init__(self):
        self.ncalls = self.pcalls = self.tottime_ns = self.cumtime_ns = 0

    def add(self, timing, primitive, timed):
        """Adds a call; `timed`: with its cumtime."""
        self.ncalls += 1
        self.tottime_ns += timing.tottime_ns
        if primitive:
            self.pcalls += 1
        if timed:
            self.cumtime_ns += timing.cumtime_ns

    @property
    def times(self):
        return (self.tottime_ns / 1e9, self.cumtime_ns / 1e9)


def _edge_is_open(timing):
    """Was a call of the function by its caller open when this one began?

    Without a stack this is unknown: then any recursive call counts.
    """
    stack = timing.call_stack
    if not stack:
        return not timing.is_primitive_call
    callee = (timing.func_name, timing.filename, timing.firstlineno)
    return any(stack[i] == stack[-1] and stack[i + 1] == callee
               for i in range(len(stack) - 1))


def _add_edge(edges, timing, style):
    """Adds the call to its caller's edge. Source: spec 01; _lsprof.c."""
    if timing.caller_filename is None:
        return
    caller = (timing.caller_filename, timing.caller_firstlineno or 0,
              timing.caller_func_name or "")
    edge = edges.setdefault(caller, _Cost())
    if style == "dynamo":
        edge.add(timing, timing.is_primitive_call, True)
    else:
        first = not _edge_is_open(timing)
        edge.add(timing, first, first)


def _sum_up(timings, style):
    """({function: its cost}, {function: {caller: the edge's cost}})."""
    costs = {}
    callers = {}
    for timing in timings:
        function = timing.func_key
        if function not in costs:
            costs[function] = _Cost()
            callers[function] = {}
        costs[function].add(timing, timing.is_primitive_call,
                            timing.is_primitive_call)
        _add_edge(callers[function], timing, style)
    return costs, callers


def _entries(costs, callers):
    """The entries of a pstats file. gprof2dot needs an entry for each
    caller."""
    entries = {}
    for function, cost in costs.items():
        edges = {caller: (edge.ncalls, edge.pcalls, *edge.times)
                 for caller, edge in callers[function].items()}
        entries[function] = (cost.pcalls, cost.ncalls, *cost.times, edges)
    for edges in callers.values():
        for caller in edges:
            entries.setdefault(caller, (0, 0, 0.0, 0.0, {}))
    return entries


def _print_raw(costs):
    """Prints the sums, the most expensive function first."""
    ordered = sorted(costs.items(), key=lambda item: item[1].cumtime_ns,
                     reverse=True)
    print("\n=== Timings by function ===")
    print(f"{'ncalls':>8} {'pcalls':>8} {'tottime':>12} {'cumtime':>12}  "
          "function")
    print("-" * 80)
    for (filename, line, name), cost in ordered:
        print(f"{cost.ncalls:>8} {cost.pcalls:>8} "
              f"{cost.tottime_ns / 1e6:>10.2f}ms "
              f"{cost.cumtime_ns / 1e6:>10.2f}ms  "
              + _session.printable(
                  f"{name} ({filename.rpartition('/')[2]}:{line})"))
    print("-" * 80)
    total = {field: sum(map(operator.attrgetter(field), costs.values()))
             for field in _Cost.__slots__}
    print(f"Total timings: {total['ncalls']}, unique functions: {len(costs)}")
    print(f"Sum tottime: {total['tottime_ns'] / 1e6:.2f}ms, "
          f"Sum cumtime: {total['cumtime_ns'] / 1e6:.2f}ms")


class _NoPicture(Exception):
    """The reason why there is no call graph."""


def _failure(program, process, errors):
    return _NoPicture(f"{program} failed (exit status {process.returncode}): "
                      f"{errors.decode(errors='replace').strip()}")


def _draw(gprof2dot, dot, profile_file, svg_file):
    """Runs gprof2dot PROFILE | dot -o SVG; takes the paths of both programs."""
    labels = [f"--node-label={label}" for label in _NODE_LABELS]
    with subprocess.Popen(
            [gprof2dot, "-f", "pstats", *labels, profile_file],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE) as graph:
        # No pipe between them: either could block on a full pipe of error
        # messages.
        text, complaints = graph.communicate()
    if graph.returncode != 0:
        raise _failure("gprof2dot", graph, complaints)
    picture = subprocess.run([dot, "-Tsvg", "-o", svg_file], input=text,
                             capture_output=True, check=False)
    if picture.returncode != 0:
        raise _failure("dot", picture, picture.stderr)
    if not os.path.isfile(svg_file):
        raise _NoPicture(f"dot wrote no {svg_file}")


class DynamoProfilerState(State):
    """Open calls, and the timings of finished ones."""

    def __init__(self):
        self.timings = []

    def record_timing(self, timing):
        """Adds a FunctionTraceTiming."""
        self.timings.append(timing)
        self._end_popped(timing.func_key, timing.cumtime_ns)

    def get_timings(self):
        """All timings so far."""
        return self.timings

    def generate_pstats(self, output_file=None, print_raw=False, *,
                        style="dynamo"):
        """The timings as a pstats.Stats, also written to `output_file`.

        `style` selects the calls that count along an edge from caller to
        callee. "dynamo" counts primitive calls of the callee, and the time of
        every call. "cprofile" counts both only if no call along the same edge
        was open.
        """
        if style not in ("dynamo", "cprofile"):
            raise ValueError(f"style must be 'dynamo' or 'cprofile', not {style!r}")
        costs, callers = _sum_up(self.timings, style)
        if print_raw:
            _print_raw(costs)
        stats = _stats.make(_entries(costs, callers), io.StringIO())
        if output_file:
            stats.dump_stats(output_file)
            _log.info("wrote %s; 'snakeviz %s' shows it", output_file,
                      output_file)
        return stats

    def generate_svg(self, profile_file, svg_file=None):
        """Draws the call graph of a pstats file.

        Returns the picture's path, by default that of the file with .svg. If it
        fails, prints the reason and returns None.
        """
        if svg_file is None:
            svg_file = os.path.splitext(profile_file)[0] + ".svg"
        try:
            paths = []
            for program, package in (
                    ("gprof2dot", "'pip install gprof2dot' installs it"),
                    ("dot", "it is part of the package graphviz")):
                paths.append(_program.which(program))
                if paths[-1] is None:
                    raise _NoPicture(f"{program} was not found; {package}")
            _draw(*paths, profile_file, svg_file)
        except (_NoPicture, OSError) as why:
            print(_session.printable(f"no call graph: {why}"))
            return None
        print(f"call graph: {svg_file}")
        return svg_file

    def dump_stats(self, output_file=None, generate_svg=True):
        """Prints the timings; writes and draws them if there is a file."""
        if not self.timings:
            return
        stats = self.generate_pstats(output_file, print_raw=True)
        print("\n=== Timings as pstats ===")
        stats.stream = sys.stdout
        stats.sort_stats("cumulative").print_stats()
        if output_file:
            print(f"profile: {output_file}; 'snakeviz {output_file}' shows it")
            if generate_svg:
                self.generate_svg(output_file)


class Profile(profile.Profile):
    """Profiles the functions that torch.compile traces, while enabled: how
    often, and how long tracing took. It has all methods of ctprof.Profile."""

    def _start_tracer(self):
        install()

    def _stop_tracer(self):
        """The hooks stay: nothing records."""
