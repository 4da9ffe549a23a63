# SPDX-License-Identifier: MIT
"""One log of all processes of a Python program, with all their calls."""

import collections
import importlib.util
import json
import os
import pstats
import signal
import subprocess
import sys
import time
import unittest

import support

METHODS = "fork", "spawn", "forkserver"
TREE = """
import multiprocessing, os, signal, sys
def work(n):
    return sum(range(n))
def kill(n):
    work(n)
    os.kill(os.getpid(), signal.SIGKILL)
def leave(n):
    work(n)
    os._exit(0)
if __name__ == "__main__":
    context = multiprocessing.get_context(sys.argv[1])
    with context.Pool(2) as pool:
        assert len(pool.map(work, range(20), 1)) == 20
        pool.close()
        pool.join()
    for function in work, kill, leave:
        process = context.Process(target=function, args=(3,))
        process.start()
        process.join()
    work(1)
"""
CALLS = 24  # of work()
WAITS = """
import os, signal, sys, time
def work(n):
    return sum(range(n))
signal.signal(signal.SIGINT, signal.default_int_handler)
work(1)
pid = os.fork()
work(2)
if pid == 0:
    sys.exit(0)
os.waitpid(pid, 0)
open("ready", "w").close()
time.sleep(60)
"""


def sums(*logs):
    """Calls and times of each function in all logs together."""
    rows = collections.Counter()
    for log in logs:
        report = json.loads(
            support.ctprof("stats", "-q", "--json", log).stdout)
        for row in report["rows"]:
            for field in "ncalls", "pcalls", "tottime_ns", "cumtime_ns":
                rows[row["name"], row["file"], row["line"], field] += \
                    row[field]
    return rows


class Tree(support.TestCase):
    def setUp(self):
        super().setUp()
        self.log = self.work / "run.ctp"
        self.spool = self.work / "spool"
        self.spool.mkdir()
        self.env = {"CTPROF_SPOOL": str(self.spool)}

    def run_with(self, *arguments, **options):
        return support.python("-m", "ctprof", *arguments, cwd=self.work,
                              env=self.env, **options)

    def logs(self):
        return sorted(path.name for path in self.work.glob("*.ctp"))

    def test_all_processes_of_multiprocessing_are_in_the_log(self):
        self.script(TREE)
        for method in METHODS:
            with self.subTest(method):
                done = self.run_with("--force", "program.py", method)
                self.assertEqual(done.stderr, "ctprof: run.ctp: recorded\n")
                self.assertEqual(self.logs(), ["run.ctp"])
                self.assertEqual(support.calls(self.log)["work"], CALLS)
                self.run_with("--force", "-o", "x.pstats", "program.py",
                              method)
                stats = pstats.Stats(str(self.work / "x.pstats")).stats
                self.assertEqual([row[:2] for key, row in stats.items()
                                  if key[2] == "work"], [(CALLS, CALLS)])
        self.assertEqual(list(self.spool.iterdir()), [])

    def test_log_has_the_sums_of_the_separate_logs(self):
        """A shell copies them before they are joined."""
        self.script(TREE)
        kept = self.work / "kept"
        kept.mkdir()
        # Helpers end after the program.
        script = ('"$0" program.py $1; '
                  f'until "{support.CTPROF}" repair -q run*.ctp 2>/dev/null; '
                  'do sleep 0.1; done; cp run*.ctp kept')
        for method in METHODS:
            with self.subTest(method):
                for old in kept.iterdir():
                    old.unlink()
                support.ctprof(
                    "record", "--python", "--force", "-o", self.log, "--",
                    "sh", "-c", script, sys.executable, method,
                    cwd=self.work, env={**os.environ, **self.env})
                self.assertEqual(self.logs(), ["run.ctp"])
                logs = list(kept.iterdir())
                self.assertGreater(len(logs), 5)
                self.assertEqual(sums(self.log), sums(*logs))
                self.assertEqual(support.calls(self.log)["work"], CALLS)
                self.assertEqual(self.log.stat().st_size,
                                 sum(log.stat().st_size for log in logs))

    def test_options_reach_new_interpreters(self):
        self.script(TREE)
        self.run_with("--no-c-calls", "program.py", "spawn")
        calls = support.calls(self.log)
        self.assertEqual(calls["work"], CALLS)
        self.assertEqual(calls["<built-in method builtins.sum>"], 0)

    def test_subprocess_is_in_the_log_whatever_its_environment(self):
        self.script("import sys\ndef work(): pass\nwork()", "child.py")
        self.script("import os, subprocess, sys\n"
                    "run = [sys.executable, 'child.py']\n"
                    "assert 'ctprof' not in os.environ.get('PYTHONPATH', '')\n"
                    "subprocess.run(run, check=True)\n"
                    "subprocess.run(run, check=True, env=dict(os.environ))\n"
                    "subprocess.run(run, check=True, env={**os.environ,\n"
                    "    'PYTHONPATH': os.getcwd()})\n"
                    "os.system(' '.join(run))\n")
        self.env["PYTHONPATH"] = support.PACKAGES
        code = (self.work / "program.py").read_text()
        (self.work / "program.py").write_text(
            "\n".join(line for line in code.splitlines()
                      if not line.startswith("assert")))
        self.run_with("program.py")
        self.assertEqual(self.logs(), ["run.ctp"])
        self.assertEqual(support.calls(self.log)["work"], 4)

    def start(self, *arguments):
        """Starts the program that waits; returns it when it does."""
        self.script(WAITS)
        child = subprocess.Popen(
            [sys.executable, "-m", "ctprof", *arguments, "program.py"],
            cwd=self.work, stderr=subprocess.PIPE, text=True,
            env={**os.environ, **self.env},
            # Under nohup, the tests ignore SIGHUP, and so would it.
            preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL))
        self.addCleanup(child.stderr.close)
        end = time.monotonic() + support.LIMIT_S
        while not (self.work / "ready").exists():
            self.assertLess(time.monotonic(), end)
            time.sleep(0.01)
        return child

    def test_signals_to_the_launcher_do_not_prevent_joining(self):
        for number in signal.SIGTERM, signal.SIGINT, signal.SIGHUP:
            child = self.start("--force")
            child.send_signal(number)
            said = child.communicate(timeout=support.LIMIT_S)[1]
            self.assertEqual(child.returncode, -number, said)
            self.assertEqual(self.logs(), ["run.ctp"], said)
            self.assertEqual(support.calls(self.log)["work"], 3)
            (self.work / "ready").unlink()

    def test_killed_launcher_leaves_logs_to_merge(self):
        child = self.start("-o", "x.pstats")
        child.kill()
        self.assertEqual(child.wait(support.LIMIT_S), -signal.SIGKILL)
        # The program is killed with it, and lets go of its spool.
        end = time.monotonic() + support.LIMIT_S
        while list(self.spool.iterdir()):
            self.assertLess(time.monotonic(), end)
            support.ctprof("repair", "-q", "--all",
                           env={**os.environ, **self.env})
        self.assertEqual(len(self.logs()), 2)
        self.assertFalse((self.work / "x.pstats").exists())
        support.ctprof("merge", "-o", "x.pstats", *self.logs(), cwd=self.work)
        stats = pstats.Stats(str(self.work / "x.pstats")).stats
        self.assertEqual([row[:2] for key, row in stats.items()
                          if key[2] == "work"], [(3, 3)])

    def test_without_ctprof_record_the_program_joins(self):
        self.script(TREE)
        said = self.run_with("-s", "calls", "-o", "run.ctp", "program.py",
                             "fork")
        self.assertEqual(self.logs(), ["run.ctp"])
        self.assertEqual(support.calls(self.log)["work"], CALLS)
        self.assertRegex(said.stdout, rf"\n +{CALLS} .*\(work\)\n")

    def test_pattern_keeps_one_log_per_process(self):
        self.script(TREE)
        self.run_with("-o", "run.%p.ctp", "program.py", "spawn")
        self.assertGreater(len(self.logs()), 5)
        self.assertEqual(
            sum(support.calls(self.work / log)["work"]
                for log in self.logs()), CALLS)

    @unittest.skipUnless(importlib.util.find_spec("xdist"), "no xdist")
    def test_workers_of_xdist_are_in_the_log(self):
        self.script("import os, multiprocessing\n"
                    "def work(): pass\n"
                    "def forked(method):\n"
                    "    context = multiprocessing.get_context(method)\n"
                    "    child = context.Process(target=work)\n"
                    "    child.start()\n"
                    "    child.join()\n"
                    + "".join(f"def test_{n}():\n    work()\n    forked('{m}')\n"
                              for n, m in enumerate(2 * METHODS)),
                    "test_it.py")
        tests = "-m", "pytest", "-q", "-n", "2", "-p", "no:cacheprovider"
        self.run_with(*tests)
        self.assertEqual(self.logs(), ["run.ctp"])
        self.assertEqual(support.calls(self.log)["work"], 12)
        # The plugin itself records forked children.
        for name in "run.ctp", "x.pstats":
            support.python(*tests, "-p", "ctprof.pytest_plugin",
                           f"--ctprof={name}", "-k", "0 or 3", cwd=self.work,
                           env=self.env)
            self.assertEqual(self.logs(), ["run.ctp"])
        self.assertEqual(support.calls(self.log)["work"], 4)


if __name__ == "__main__":
    unittest.main()
