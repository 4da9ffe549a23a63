# SPDX-License-Identifier: MIT
"""Runs the programs of one file under cProfile, under sys.setprofile() and
under ctprof, with clocks that tick once per event.

    exact.py FILE HOOK DIRECTORY [PROGRAM...]

Writes DIRECTORY/PROGRAM.json, with the results of the first two and of the
programs' own counters, and the logs PROGRAM.alone.ctp and, where both can run
at once, PROGRAM.both.ctp.
"""

import cProfile
import gc
import importlib
import itertools
import json
import pathlib
import sys

import replay
import support

from ctprof import _ctprof


def entry_key(code):
    if isinstance(code, str):
        return "~", 0, support.plain(code)
    return code.co_filename, code.co_firstlineno, support.plain(code.co_name)


def entry_cost(entry, unit):
    return support.Cost(entry.callcount, entry.callcount - entry.reccallcount,
                        round(entry.inlinetime * unit),
                        round(entry.totaltime * unit))


def functions_of(profile, unit=1):
    """cProfile's entries, with equal labels summed: its own statistics keep
    only one of them. Its times are multiplied by the unit."""
    functions, callers = {}, {}
    for entry in profile.getstats():
        caller = entry_key(entry.code)
        support.add_function(functions, caller, entry_cost(entry, unit), {})
        for callee in entry.calls or ():
            edges = callers.setdefault(entry_key(callee.code), {})
            cost = entry_cost(callee, unit)
            edges[caller] = (support.add(edges[caller], cost)
                             if caller in edges else cost)
    return {key: function._replace(callers=callers.get(key, {}))
            for key, function in functions.items()}


def by_cprofile(run):
    profile = cProfile.Profile(itertools.count().__next__, 1.0)
    profile.enable()
    try:
        truth = run()
    finally:
        profile.disable()
    return functions_of(profile), truth


def by_ctprof(run, log, hook):
    _ctprof.record_start(str(log))
    _ctprof.trace_start(hook=hook, depth=0)
    try:
        return run()
    finally:
        _ctprof.trace_stop()
        _ctprof.record_stop()


def by_both(run, log):
    """The same execution under both, without random differences."""
    profile = cProfile.Profile(itertools.count().__next__, 1.0)
    _ctprof.record_start(str(log))
    _ctprof.trace_start(hook="monitoring", depth=0)
    profile.enable()
    try:
        run()
    finally:
        profile.disable()
        _ctprof.trace_stop()
        _ctprof.record_stop()
    return functions_of(profile)


def portable(functions):
    """{key: Function} in the form of JSON."""
    return [[key, function[:4], list(function.callers.items())]
            for key, function in functions.items()]


def measure(run, hook, stem):
    # Fills caches and collects garbage first, so that neither is in one run and
    # not in the other.
    for _ in range(2):
        run()
    gc.collect()
    result = {}
    functions, result["truth"] = by_cprofile(run)
    result["cprofile"] = portable(functions)
    result["events"] = replay.Recorder().run(run)
    by_ctprof(run, f"{stem}.alone.ctp", hook)
    if hook == "monitoring":
        result["both"] = portable(by_both(run, f"{stem}.both.ctp"))
    pathlib.Path(f"{stem}.json").write_text(json.dumps(result))


def main():
    file, hook, directory, *names = sys.argv[1:]
    module = importlib.import_module(f"programs.{file}")
    gc.disable()
    for name, run in list(vars(module).items()):
        if name.startswith("run_") and (not names or name in names):
            # The last name printed is that of a program that died.
            print(name, flush=True)
            measure(run, hook, pathlib.Path(directory, name))


if __name__ == "__main__":
    main()
