# SPDX-License-Identifier: MIT
"""The table of bench.py: figures of one interpreter, and their goals."""
import itertools
import math
import statistics

ROWS = (
    ("floor", "a hook that does nothing: F"),
    ("ctprof", "ctprof: P"),
    ("no-c-calls", "ctprof --no-c-calls"),
    ("cProfile", "cProfile"),
    ("viztracer", "VizTracer"),
    ("yappi", "yappi, wall clock"),
)
# The table shows the noise of the least times of these modes.
MEASURED = ("none", "floor", "ctprof", "cProfile")
# Above this, the machine was too busy for the ratios to be meaningful.
QUIET = 1.05


def mean(values):
    return math.exp(statistics.fmean(map(math.log, values)))


def ratios(above, below):
    """Load by load; None if either was not measured."""
    if not above or not below:
        return None
    return [a / b for a, b in zip(above, below)]


def best(runs, loads, mode, key):
    """The least of all rounds for each load, or None."""
    if any((load, mode) not in runs for load in loads):
        return None
    return [min(run[key] for run in runs[load, mode]) for load in loads]


def shortest(runs, load, mode, rank=0):
    """The sum of the pieces' least times over all rounds; with `rank` 1, of
    their second least times."""
    pieces = zip(*(run["times_ns"] for run in runs[load, mode]))
    return sum(sorted(times)[min(rank, len(times) - 1)] for times in pieces)


def times_of(runs, loads, mode):
    if any((load, mode) not in runs for load in loads):
        return None
    return [shortest(runs, load, mode) for load in loads]


def noise_of(runs, loads):
    """The largest ratio of second least to least times: an estimate of the
    error, since the least may have been disturbed as well."""
    return max(shortest(runs, *each, 1) / shortest(runs, *each)
               for each in itertools.product(loads, MEASURED) if each in runs)


def limit_of(version):
    """The limit of P/cProfile, by version."""
    return 0.80 if int(version.split(".")[1]) <= 12 else 0.65


def goals_of(figures, version):
    """(what, goal, measured) for each goal; measured is None if a figure for it
    is missing."""
    profile_limit = limit_of(version)
    unit = 3 * figures["rdtsc_ns"] + 4 if figures["rdtsc_ns"] else math.inf
    over = {name: figures["ctprof/" + name]
            for name in ("floor", "cProfile", "viztracer")}

    def of(function, values):
        return function(values) if values else None

    return [
        ("P / F, mean", 1.15, of(mean, over["floor"])),
        ("P / F, worst load", 1.3, of(max, over["floor"])),
        ("P / cProfile, mean", profile_limit, of(mean, over["cProfile"])),
        ("P / cProfile, worst load", 1.0, of(max, over["cProfile"])),
        ("P / VizTracer, mean", 0.85, of(mean, over["viztracer"])),
        ("(P - F) per event, ns, worst load (3 rdtsc + 4 ns)", unit,
         of(max, figures["event_ns"])),
        ("--no-c-calls / F, mean", 1.05,
         of(mean, figures["no-c-calls/floor"])),
        ("log bytes per event, worst load", 2.5,
         of(max, figures["log_bytes"])),
        ("s from the end to the complete log, per 10^6 calls", 0.1,
         of(max, figures["complete_s"])),
        ("MiB of memory, 1.3 million events", 16.0, figures["short_mib"]),
        ("MiB of memory, 10 million events", 16.0, figures["long_mib"]),
    ]


def per_event(runs, loads, amounts):
    events = best(runs, loads, "count", "events")
    if amounts is None or events is None:
        return None
    return [amount / count for amount, count in zip(amounts, events)]


def figures_of(interpreter, loads):
    runs = interpreter.runs
    times = {mode: times_of(runs, loads, mode)
             for mode in ("none",) + tuple(mode for mode, _ in ROWS)}
    ours, floor = times["ctprof"], times["floor"]
    unit = best(runs, loads, "floor", "rdtsc_ns")
    complete = per_event(runs, loads,
                         best(runs, loads, "ctprof", "complete_ns"))
    memory = [best(runs, [load], "ctprof", "growth_kib")
              for load in ("fib", "fib*8")]
    figures = {
        "path": interpreter.path, "version": interpreter.version,
        "times_ns": times, "rdtsc_ns": min(unit) if unit else None,
        "events": best(runs, loads, "count", "events"),
        "event_ns": per_event(runs, loads, [
            a - b for a, b in zip(ours, floor)] if ours and floor else None),
        "log_bytes": per_event(runs, loads,
                               best(runs, loads, "ctprof", "log_bytes")),
        # A call is two events; 10^6 calls, in seconds instead of nanoseconds.
        "complete_s": complete and [2 * value / 1e3 for value in complete],
        "short_mib": memory[0] and memory[0][0] / 1024,
        "long_mib": memory[1] and memory[1][0] / 1024,
        "noise": noise_of(runs, loads),
        "missing": sorted(interpreter.missing),
        "state": interpreter.state(),
    }
    for above, below in (("ctprof", "floor"), ("ctprof", "cProfile"),
                         ("ctprof", "viztracer"), ("no-c-calls", "floor")):
        figures[above + "/" + below] = ratios(times[above], times[below])
    figures["clock/floor"] = (unit and floor and figures["events"]) and [
        1 + count * min(unit) / time
        for count, time in zip(figures["events"], floor)]
    figures["goals"] = goals_of(figures, interpreter.version)
    return figures


def print_row(title, values, digits=2, last=None):
    cells = "".join("%9.*f" % (digits, value) for value in values)
    print("    %-28s%s%s" % (title, cells,
                             "" if last is None else "%9.2f" % last))


def print_figures(figures, loads):
    times = figures["times_ns"]
    print("\nCPython %s, %s\n" % (figures["version"], figures["path"]))
    print("    %-28s%s%9s" % ("", "".join("%9s" % load for load in loads),
                              "mean"))
    print_row("alone, ms", [value / 1e6 for value in times["none"]], 1)
    if figures["events"]:
        print_row("events, thousands",
                  [count / 1e3 for count in figures["events"]], 0)
    for mode, title in ROWS:
        if times[mode]:
            values = ratios(times[mode], times["none"])
            print_row(title, values, last=mean(values))
    for key, title in (("ctprof/floor", "P / F"),
                       ("ctprof/cProfile", "P / cProfile"),
                       ("ctprof/viztracer", "P / VizTracer"),
                       ("clock/floor", "F and one rdtsc / F")):
        if figures[key]:
            print_row(title, figures[key], last=mean(figures[key]))
    for key, title in (("event_ns", "(P - F) per event, ns"),
                       ("log_bytes", "log bytes per event")):
        if figures[key]:
            print_row(title, figures[key])
    print()
    for what, goal, measured in figures["goals"]:
        if measured is not None:
            print("    %-52s%8.2f, goal %6.2f%s" % (
                what, measured, goal, "" if measured <= goal else " MISSED"))
    if figures["state"]:
        print("    " + figures["state"].replace("\n", "\n    "))
    for mode in figures["missing"]:
        print("    %s: not measured: see the first lines" % mode)
    print("    rdtsc %.1f ns; second least time over least at most %.3f%s" % (
        figures["rdtsc_ns"] or math.nan, figures["noise"],
        "" if figures["noise"] <= QUIET else
        " - over %.2f: the machine was busy, run it again" % QUIET))
