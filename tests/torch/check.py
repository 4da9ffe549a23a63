# SPDX-License-Identifier: MIT
"""ctprof with this interpreter's PyTorch: `--compile` against PyTorch's own
profiler of Dynamo, TORCH_TRACE logs against compile_times() and tlparse.
check.sh runs it."""

import collections
import json
import os
import pathlib
import pstats
import shutil
import subprocess
import sys
import tempfile
import unittest

import torch

CTPROF = os.environ["CTPROF"]
MODEL = pathlib.Path(__file__).resolve().parent / "model.py"
TLPARSE = shutil.which("tlparse", path=pathlib.Path(sys.executable).parent)
try:
    from torch._dynamo import dynamo_profiler
except ImportError:
    dynamo_profiler = None
# Version 2.4's TORCH_TRACE logs have no events with times.
HAS_EVENTS = tuple(map(int, torch.__version__.split(".")[:2])) >= (2, 5)
# {name: calls traced}, in two compilations.
TRACED = {"forward": 2, "block": 2, "leaf": 6}
BACK_END = "back end eager"


def run(*arguments, **more):
    done = subprocess.run(list(map(str, arguments)), text=True, check=False,
                          capture_output=True, env={**os.environ, **more})
    if done.returncode != 0:
        raise AssertionError(f"{arguments}: status {done.returncode}: "
                             f"{done.stderr}")
    return done.stdout


def rows(file):
    return json.loads(run(CTPROF, "stats", "-q", "--json", file))["rows"]


def compilations(*files):
    return json.loads(run(CTPROF, "compilations", "-q", "--json", *files))


def ranges(file):
    """The (name, start, duration in us) of a Chrome trace's ranges, which
    nest by their times."""
    events = json.loads(file.read_text(encoding="utf-8"))
    if isinstance(events, dict):
        events = events["traceEvents"]
    found = []
    stacks = collections.defaultdict(list)
    for event in events:
        thread = stacks[event.get("pid"), event.get("tid")]
        if event["ph"] == "B":
            thread.append(event)
        elif event["ph"] == "E":
            begin = thread.pop()
            found.append((begin["name"], begin["ts"],
                          event["ts"] - begin["ts"]))
        elif event["ph"] == "X":
            found.append((event["name"], event["ts"], event["dur"]))
    first = min(start for _, start, _ in found)
    return sorted((name, start - first, duration)
                  for name, start, duration in found)


class Torch(unittest.TestCase):
    """One recorded run of model.py, which all tests read."""

    @classmethod
    def setUpClass(cls):
        place = tempfile.TemporaryDirectory()
        cls.addClassCleanup(place.cleanup)
        cls.work = pathlib.Path(place.name)
        cls.log = cls.work / "run.ctp"
        cls.times = cls.work / "times.json"
        cls.pstats = cls.work / "dynamo.prof"
        run(CTPROF, "record", "--compile", "-o", cls.log, "--",
            sys.executable, MODEL, "eager", cls.times,
            TORCH_TRACE=str(cls.work / "trace"),
            TORCH_COMPILE_DYNAMO_PROFILER=str(cls.pstats),
            TORCHINDUCTOR_CACHE_DIR=str(cls.work / "cache"))
        cls.trace = next((cls.work / "trace").glob("*.log"))

    def test_compile_has_every_traced_function(self):
        self.assertEqual({row["name"]: row["ncalls"]
                          for row in rows(self.log)},
                         {**TRACED, BACK_END: 2})

    @unittest.skipIf(dynamo_profiler is None, "PyTorch has no such profiler")
    def test_compile_equals_dynamos_profiler(self):
        theirs = {key: value[:4] for key, value in
                  pstats.Stats(str(self.pstats)).stats.items()}
        ours = {(row["file"], row["line"], row["function"]): row
                for row in compilations(self.log)["functions"]}
        self.assertEqual(set(ours), set(theirs))
        for key, (primitive, calls, _, cumulative) in theirs.items():
            row = ours[key]
            self.assertEqual((row["pcalls"], row["ncalls"]),
                             (primitive, calls))
            # Ours of a frame also has PyTorch's printing of the profile.
            self.assertGreater(row["cumtime_ns"] / 1e9, cumulative)
            if key[2] != "forward":
                self.assertAlmostEqual(row["cumtime_ns"] / 1e9, cumulative,
                                       delta=0.02 + 0.1 * cumulative)

    def test_compilations_of_both_logs_are_joined(self):
        alone = compilations(self.log)["compilations"]
        self.assertEqual({row["id"] for row in alone}, {"0/0", "0/1"})
        both = compilations(self.log, self.trace)
        self.assertEqual(len(both["compilations"]), 2)
        for row in both["compilations"]:
            self.assertEqual((row["function"], row["traced_functions"]),
                             ("forward", 3))
            self.assertGreater(row["tracing_ns"], 0)
            self.assertLess(row["tracing_ns"], row["total_ns"])
        self.assertEqual({tuple(row["compile_ids"])
                          for row in both["functions"]}, {("0/0", "0/1")})

    @unittest.skipIf(not HAS_EVENTS, "the log has no events with times")
    def test_trace_has_the_times_of_compile_times(self):
        times = json.loads(self.times.read_text(encoding="utf-8"))
        ours = {row["name"]: row["cumtime_ns"] / 1e9
                for row in rows(self.trace)}
        common = set(times) & set(ours)
        self.assertTrue(common, (times, ours))
        for name in common:
            self.assertAlmostEqual(ours[name], times[name], msg=name,
                                   delta=0.01 + 0.05 * times[name])

    @unittest.skipIf(TLPARSE is None, "tlparse is not installed")
    @unittest.skipIf(not HAS_EVENTS, "the log has no events with times")
    def test_trace_has_the_ranges_of_tlparse(self):
        converted = self.work / "ours.json"
        run(CTPROF, "convert", "-q", "-t", "chrome", "-o", converted,
            self.trace)
        run(TLPARSE, self.trace, "-o", self.work / "tlparse", "--no-browser")
        theirs = self.work / "tlparse" / "chromium_events.json"
        ours, theirs = ranges(converted), ranges(theirs)
        self.assertEqual([one[0] for one in ours], [one[0] for one in theirs])
        for one, other in zip(ours, theirs):
            for mine, their in zip(one[1:], other[1:]):
                self.assertAlmostEqual(mine, their, delta=1, msg=one[0])


if __name__ == "__main__":
    print(f"PyTorch {torch.__version__}", flush=True)
    unittest.main()
