# SPDX-License-Identifier: MIT
"""ctprof --compile: what torch.compile traces, without any tracing of Python.
fake_torch has the modules that are hooked; `make check-torch` uses the real
ones."""

import json
import os
import pathlib
import sys
import unittest

import support

import ctprof

TORCH = pathlib.Path(__file__).parent / "fake_torch"
PROGRAM = """
import torch

def leaf(x):
    return x

def block(x):
    return leaf(leaf(x))

def broken(x):
    print(x)
    return x

def forward(x):
    return leaf(block(x))

def main():
    first, second = torch.compile(forward), torch.compile(broken)
    first(1), first(2), second(3)

if __name__ == "__main__":
    main()
"""
# {name: (ncalls, pcalls)}; co_names has each name once.
TRACED = {"forward": (1, 1), "leaf": (2, 2), "block": (1, 1), "broken": (1, 1)}
# The compilation of a graph is a range as well.
BACK_END = "back end eager"


class Compile(support.TestCase):
    def setUp(self):
        super().setUp()
        self.log = self.work / "run.ctp"
        self.script(PROGRAM)

    def traced(self, log=None):
        rows = support.report(log or self.log)["rows"]
        return {row["name"]: (row["ncalls"], row["pcalls"]) for row in rows
                if row["name"] != BACK_END}

    def environment(self, **more):
        path = os.pathsep.join(filter(None, [str(TORCH), support.PACKAGES]))
        return {"PYTHONPATH": path, **more}

    def record(self, *options, program=("program.py",), **more):
        return support.ctprof(
            "record", "-o", self.log, *options, "--", sys.executable, *program,
            cwd=self.work, env={**os.environ, **self.environment()}, **more)

    def test_record_compile_has_what_is_traced(self):
        done = self.record("--compile")
        self.assertEqual(done.stdout, "3\n")
        self.assertEqual(self.traced(), TRACED)

    def test_module_has_the_same(self):
        support.python("-m", "ctprof", "--compile", "-o", self.log,
                       "program.py", cwd=self.work, env=self.environment())
        self.assertEqual(self.traced(), TRACED)

    def test_environment_has_the_same(self):
        site = pathlib.Path(ctprof.__file__).parent / "site"
        path = os.pathsep.join([str(site), self.environment()["PYTHONPATH"]])
        support.python("program.py", cwd=self.work, env={
            "PYTHONPATH": path, "CTPROF_OUT": str(self.log),
            "CTPROF_PYTHON": "compile"})
        self.assertEqual(self.traced(), TRACED)

    def test_install_has_the_same_also_after_the_import(self):
        for order in "import torch._dynamo.symbolic_convert", "":
            with self.subTest(order):
                support.python("-c", f"""
{order}
import ctprof.dynamo, ctprof._session as session, program
ctprof.dynamo.install()
ctprof.dynamo.install()
session.begin({str(self.log)!r})
program.main()
session.end()
""", cwd=self.work, env=self.environment())
                self.assertEqual(self.traced(), TRACED)
                self.log.unlink()

    def test_traced_code_is_freed_with_its_program(self):
        self.script("""
import torch, weakref

def generate(n):
    names = {}
    exec(f"def callee_{n}(x): return x\\n"
         f"def forward_{n}(x): return callee_{n}(x)", names)
    return names[f"forward_{n}"], names

codes = []
for n in range(20):
    forward, names = generate(n)
    assert torch.compile(forward)(n) == n
    codes += [weakref.ref(forward.__code__),
              weakref.ref(names[f"callee_{n}"].__code__)]
    names.clear()
    del forward
assert not any(code() for code in codes), codes
""")
        for options in ("--compile",), ("--compile", "--python"):
            with self.subTest(options=options):
                self.record("--force", *options)
                names = {name.partition(" ")[0] for name in self.traced()}
                self.assertLess({"forward_19", "callee_19"}, names)

    def test_profile_has_the_same(self):
        done = support.python("-c", """
import ctprof.dynamo, json, program
with ctprof.dynamo.Profile() as profile:
    program.main()
profile.create_stats()
program.main()  # not in the profile
print(json.dumps({key[2]: value[:2] for key, value in profile.stats.items()}))
""", cwd=self.work, env=self.environment())
        found = json.loads(done.stdout.split("\n")[-2])
        self.assertEqual({name: (ncalls, pcalls)
                          for name, (pcalls, ncalls) in found.items()
                          if name[0] != "<" and name != BACK_END}, TRACED)

    def test_ranges_have_arguments_and_places(self):
        self.record("--compile")
        trace = self.work / "trace.json"
        support.ctprof("convert", "-q", "-o", trace, self.log)
        events = [event for event in
                  json.loads(trace.read_text())["traceEvents"]
                  if event["ph"] in "XB"]
        self.assertEqual({event["cat"] for event in events}, {"traced"})
        args = {event["name"]: event["args"] for event in events}
        self.assertEqual(
            [(args[name]["inline_depth"], args[name].get("compile_id"))
             for name in ("forward", "block", "leaf", "broken")],
            [(0, "0/0"), (1, None), (2, None), (0, "1/0")])
        self.assertEqual(args[BACK_END]["backend"], "eager")
        self.assertNotIn("bytecode", args[BACK_END])
        self.assertGreater(args["block"]["bytecode"], 10)
        self.assertEqual(pathlib.Path(args["block"]["file"]).name,
                         "program.py")

    def test_traced_is_not_executed(self):
        self.record("--compile", "--python")
        calls = self.traced()
        self.assertEqual({name: calls[f"{name} [traced]"] for name in TRACED},
                         TRACED)
        self.assertEqual(calls["forward"], (2, 2))
        self.assertEqual(calls["leaf"], (6, 6))

    def change_torch(self, old, new):
        """A version of PyTorch that has something else."""
        fake = self.work / "torch"
        for module in TORCH.rglob("*.py"):
            place = fake / module.relative_to(TORCH / "torch")
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(module.read_text().replace(old, new))

    def compiled(self, trace):
        """The functions of PyTorch's own log."""
        found = json.loads(support.ctprof("compilations", "-q", "--json",
                                          trace).stdout)
        return [row["function"] for row in found["compilations"]]

    def test_other_versions_run_on_with_one_line_and_their_own_log(self):
        self.change_torch("inline_call(", "inline_it(")
        done = self.record("--compile")
        self.assertEqual(done.stdout, "3\n")
        trace = self.work / "run.torch_trace"
        self.assertEqual(
            [line for line in done.stderr.splitlines() if "torch" in line],
            ["ctprof: torch.compile is not recorded: PyTorch 2.15.0+fake has "
             "no 'inline_call'; --compile works with 2.4 to 2.15",
             f"ctprof: {trace}: PyTorch's own log of torch.compile; 'ctprof "
             f"compilations {trace}' shows it"])
        self.assertEqual(self.compiled(trace), ["forward", "broken"])

    def test_a_frame_without_code_runs_on_too(self):
        self.change_torch("f_code", "the_code")
        done = self.record("--compile")
        self.assertEqual(done.stdout, "3\n")
        self.assertIn("torch.compile is not recorded: PyTorch 2.15.0+fake has "
                      "no attribute 'f_code'", done.stderr)
        self.assertEqual(self.compiled(self.work / "run.torch_trace"),
                         ["forward", "broken"])

    def test_the_users_own_torch_trace_stays(self):
        self.change_torch("inline_call(", "inline_it(")
        own = self.work / "own"
        os.environ["TORCH_TRACE"] = str(own)
        self.addCleanup(os.environ.pop, "TORCH_TRACE")
        done = self.record("--compile")
        self.assertIn(f"'ctprof compilations {own}' shows it", done.stderr)
        self.assertEqual(self.compiled(own), ["forward", "broken"])
        self.assertFalse((self.work / "run.torch_trace").exists())

    def test_no_log_of_its_own_if_the_hooks_work(self):
        self.record("--compile")
        self.assertFalse((self.work / "run.torch_trace").exists())

    def test_versions_without_such_a_log_run_on(self):
        self.change_torch("inline_call(", "inline_it(")
        internal = self.work / "torch" / "_logging" / "_internal.py"
        internal.write_text(internal.read_text().replace("root_dir", "dir"))
        done = self.record("--compile")
        self.assertEqual(done.stdout, "3\n")
        self.assertNotIn("own log", done.stderr)

    def test_all_frames_share_the_timings_of_dynamos_profiler(self):
        done = self.record("--compile", program=("-c", """
from torch._dynamo.symbolic_convert import DynamoProfilerState
one, other = DynamoProfilerState(), DynamoProfilerState()
one.timings.append(1)
print(other.timings)
"""))
        self.assertEqual(done.stdout, "[1]\n")

    def test_dynamos_profiler_has_all_frames_without_an_option(self):
        file = self.work / "dynamo.json"
        for options in (), ("--compile",), ("--python",):
            with self.subTest(options):
                os.environ["TORCH_COMPILE_DYNAMO_PROFILER"] = str(file)
                self.addCleanup(os.environ.pop,
                                "TORCH_COMPILE_DYNAMO_PROFILER", None)
                done = self.record("--force", *options)
                self.assertEqual((done.stdout, json.loads(file.read_text())),
                                 ("3\n", ["forward", "broken"]))
        support.python("program.py", cwd=self.work, env=self.environment())
        self.assertEqual(json.loads(file.read_text()), ["broken"])

    def test_children_are_recorded_too(self):
        self.record("--compile", program=("-c", """
import subprocess, sys
subprocess.run([sys.executable, "program.py"], check=True)
"""))
        logs = [log for log in self.work.glob("run*.ctp")
                if "block" in self.traced(log)]
        self.assertEqual(len(logs), 1)


if __name__ == "__main__":
    unittest.main()
