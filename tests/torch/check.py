# SPDX-License-Identifier: MIT
"""ctprof with this interpreter's PyTorch: `--compile` against PyTorch's own
profiler of Dynamo, TORCH_TRACE logs against tlparse, phases of both against
compile_times(), and the commands of the guide. check.sh runs it."""

import collections
import json
import os
import pathlib
import pstats
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import torch

CTPROF = os.environ["CTPROF"]
HERE = pathlib.Path(__file__).resolve().parent
MODEL = HERE / "model.py"
GUIDE = HERE.parent.parent / "doc" / "guide" / "slow-compilations.md"
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
# The share of a run that may be outside of any phase.
UNKNOWN_MAX = 0.1
# {phase: the keys of compile_times() that begin and end with it}, if they are in
# the log, and if Python's functions are. There AOTAutograd's phase begins
# earlier.
TIMED_PHASES = {
    "AOTAutograd": ("create_aot_dispatcher_function",
                    "backward._backward_impl"),
    "Inductor lowering": ("GraphLowering.run",),
    "C++ compiler": ("compile_file",),
}
TIMED_PHASES_OF_PYTHON = {
    "Dynamo": ("_compile.compile_inner", "_compile.<locals>.compile_inner"),
    "Inductor passes": ("_recursive_pre_grad_passes",
                        "_recursive_joint_graph_passes",
                        "_recursive_post_grad_passes"),
    "Inductor lowering": ("GraphLowering.run",),
    "Inductor scheduling": ("Scheduler.__init__",),
    "C++ compiler": ("compile_file",),
}


def run(*arguments, **more):
    done = subprocess.run(list(map(str, arguments)), text=True, check=False,
                          capture_output=True, env={**os.environ, **more})
    if done.returncode != 0:
        raise AssertionError(f"{arguments}: status {done.returncode}: "
                             f"{done.stderr}")
    return done.stdout


def environment(work):
    """No file outside of `work`, and the compiler's work in its process."""
    return {"TORCHINDUCTOR_CACHE_DIR": str(work / "cache"),
            "TORCHINDUCTOR_COMPILE_THREADS": "1"}


def phases(file):
    """({phase: seconds from its begins to its ends}, the unknown share)."""
    report = json.loads(run(CTPROF, "phases", "-q", "--json", "--rules",
                            "dynamo", file))
    totals = {row["phase"]: row["total_ns"] for row in report["rows"]}
    wall = sum(one["wall_ns"] for one in report["sets"])
    return ({phase: total / 1e9 for phase, total in totals.items()},
            totals.get("(unknown)", 0) / wall)


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
            **environment(cls.work))
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


class Environment(unittest.TestCase):
    """Runs whose files depend on PyTorch's variables and version."""

    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.work = pathlib.Path(place.name)

    @unittest.skipIf(dynamo_profiler is None, "PyTorch has no such profiler")
    def test_dynamos_profiler_has_all_frames_without_an_option(self):
        file = self.work / "dynamo.prof"
        run(CTPROF, "record", "-o", self.work / "run.ctp", "--",
            sys.executable, MODEL, "eager", self.work / "times.json",
            TORCH_COMPILE_DYNAMO_PROFILER=str(file))
        calls = collections.Counter()
        for key, value in pstats.Stats(str(file)).stats.items():
            calls[key[2]] += value[1]
        self.assertEqual(calls, TRACED)

    def test_torch_trace_is_the_fallback(self):
        # A hook that finds nothing, as in a version that we do not know.
        program = self.work / "program.py"
        program.write_text(f"""
from ctprof import _compile
_compile._HOOKS["torch._dynamo.symbolic_convert"] = lambda it: it.nothing
import runpy, sys
sys.argv[:] = ["model.py", "eager", "times.json"]
runpy.run_path({str(MODEL)!r}, run_name="__main__")
""", encoding="utf-8")
        done = subprocess.run(
            [CTPROF, "record", "--compile", "-o", "run.ctp", "--",
             sys.executable, program], cwd=self.work, text=True, check=True,
            capture_output=True)
        self.assertIn(f"PyTorch {torch.__version__} has no attribute "
                      "'nothing'; --compile works with", done.stderr)
        self.assertIn("run.torch_trace' shows it", done.stderr)
        found = json.loads(run(CTPROF, "compilations", "-q", "--json",
                               self.work / "run.torch_trace"))
        self.assertEqual([row["function"] for row in found["compilations"]],
                         ["forward", "forward"])


class Phases(unittest.TestCase):
    """Where the time goes: model.py with every call of Python recorded."""

    def record(self, backend):
        """A run; returns the log, that of TORCH_TRACE and compile_times()."""
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        work = pathlib.Path(place.name)
        run(CTPROF, "record", "--compile", "--python", "-o", work / "run.ctp",
            "--", sys.executable, MODEL, backend, work / "times.json",
            TORCH_TRACE=str(work / "trace"), **environment(work))
        return (work / "run.ctp", work / "trace",
                json.loads((work / "times.json").read_text(encoding="utf-8")))

    def check(self, log, keys, times):
        totals, unknown = phases(log)
        self.assertLessEqual(unknown, UNKNOWN_MAX)
        for phase, names in keys.items():
            wanted = sum(times.get(name, 0) for name in names)
            if wanted == 0 or not all(name in times for name in names[1:]
                                      if phase == "Inductor passes"):
                continue  # not measured by this version
            # 5 %, since the functions begin before PyTorch's clock does and
            # end after it; 0.1 s, since it collects garbage in between.
            self.assertAlmostEqual(totals.get(phase, 0), wanted, msg=phase,
                                   delta=0.1 + 0.05 * wanted)

    def test_eager_backend(self):
        log, trace, times = self.record("eager")
        self.check(log, {"Dynamo": TIMED_PHASES_OF_PYTHON["Dynamo"]}, times)
        if HAS_EVENTS:
            self.assertLessEqual(phases(trace)[1], UNKNOWN_MAX)

    def test_inductor_without_and_with_its_cache(self):
        log, trace, times = self.record("inductor")
        self.check(log, TIMED_PHASES_OF_PYTHON, times)
        traced = {row["name"]: row["ncalls"] for row in rows(log)
                  if row["name"].endswith(" [traced]")}
        self.assertEqual(traced, {f"{name} [traced]": calls
                                  for name, calls in TRACED.items()})
        if not HAS_EVENTS:
            return
        self.check(trace, TIMED_PHASES, times)
        self.warm(log.parent, trace)

    def warm(self, work, cold):
        """Another run, with the cache of the first one."""
        run(sys.executable, MODEL, "inductor", work / "warm.json",
            TORCH_TRACE=str(work / "warm"), **environment(work))
        before, after = phases(cold)[0], phases(work / "warm")[0]
        self.assertLess(after.get("Inductor", 0), before["Inductor"] / 2)
        changes = {row["name"]: row for row in json.loads(run(
            CTPROF, "diff", "-q", "--json", cold, work / "warm"))["rows"]}
        lowering = changes["GraphLowering.run"]
        self.assertEqual((lowering["base"]["count"], lowering["new"]),
                         (3, None))
        cost = compilations(cold).get("cache_miss_ns", 0)
        saved = compilations(work / "warm").get("cache_saved_ns", 0)
        self.assertGreater(cost, 0)
        # PyTorch counts a backward graph twice that it compiled with the
        # forward graph.
        self.assertTrue(0.8 * cost <= saved <= 2 * cost, (cost, saved))


class Guide(unittest.TestCase):
    """The commands of the page about slow compilations, as printed."""

    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.work = pathlib.Path(place.name)
        programs = self.work / "bin"
        programs.mkdir()
        (programs / "ctprof").symlink_to(CTPROF)
        (programs / "python3").symlink_to(sys.executable)
        self.path = os.pathsep.join([str(pathlib.Path(sys.executable).parent),
                                     str(programs), os.environ["PATH"]])

    def blocks(self):
        """(the word, the text) of each marked block."""
        return re.findall(r"<!-- torch: (\S+) -->\n```\w*\n(.*?)```\n",
                          GUIDE.read_text(encoding="utf-8"), re.DOTALL)

    @unittest.skipIf(not HAS_EVENTS, "the log has no events with times")
    def test_commands_name_the_causes_and_show_the_gain(self):
        for word, text in self.blocks():
            if word != "test":
                (self.work / word).write_text(text, encoding="utf-8")
                continue
            done = subprocess.run(
                ["bash", "-e", "-c", text], cwd=self.work, text=True,
                capture_output=True, check=False,
                env={**os.environ, "PATH": self.path})
            self.assertEqual(done.returncode, 0, done.stderr)
        self.check_tables("before", 2, {"forward", "resume"})
        self.check_tables("after", 0, set())
        svg = (self.work / "changed.svg").read_text(encoding="utf-8")
        self.assertIn("entire_frame_compile", svg)
        self.assertGreater((self.work / "compile.html").stat().st_size, 10000)
        # Functions traced: in three parts and again, and once.
        for log, counts in ("before.ctp", (4, 6, 12)), ("after.ctp", (1, 2, 4)):
            found = {row["name"]: row["ncalls"] for row in rows(
                self.work / log)}
            self.assertEqual(tuple(found[name] for name in (
                "forward", "block", "scale")), counts)

    def check_tables(self, trace, breaks, again):
        """Graph breaks of forward()'s line with `print`, and functions that
        are compiled again."""
        report = json.loads(run(CTPROF, "compilations", "-q", "--json",
                                self.work / trace))
        self.assertEqual(len(report["graph_breaks"]), breaks, report)
        self.assertLessEqual({row["line"] for row in report["graph_breaks"]},
                             {14})
        self.assertEqual({"resume" if "resume" in row["function"] else
                          row["function"] for row in
                          report["recompilations"]}, again)


if __name__ == "__main__":
    print(f"PyTorch {torch.__version__}", flush=True)
    unittest.main()
