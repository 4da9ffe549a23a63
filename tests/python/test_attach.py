# SPDX-License-Identifier: MIT
"""ctprof record --pid: a program that runs already is recorded for a while, and
runs on.

Interpreters before 3.14 get a sys.remote_exec() that sends a signal, whose
handler executes the script: see home(). All else is the same for them.
"""

import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import support

import ctprof

HAS_REMOTE_EXEC = hasattr(sys, "remote_exec")
PACKAGE = pathlib.Path(ctprof.__file__).parent
REMOTE_EXEC = """
def remote_exec(pid, script):
    import posix
    home = sys.prefix
    try:
        with open(home + "/mode") as file:
            mode = file.read()
    except FileNotFoundError:
        mode = ""
    if mode == "silent":
        return
    if mode:
        raise eval(mode)
    with open(home + "/script", "w") as file:
        file.write(script)
    posix.kill(pid, 10)

sys.remote_exec = remote_exec
"""
HANDLER = """
import signal, sys
def execute(*_):
    with open(sys.prefix + "/script") as file:
        path = file.read()
    with open(path) as file:
        text = file.read()
    exec(compile(text, "<string>", "exec"), {})
if sys.prefix.endswith("home"):
    signal.signal(signal.SIGUSR1, execute)
"""
LOOP = """
import os, threading, time
def leaf():
    return len("x")
def work():
    leaf()
def helper():
    while True:
        work()
        time.sleep(0.002)
def main():
    print("ready", flush=True)
    while True:
        work()
        time.sleep(0.002)
threading.Thread(target=helper, daemon=True).start()
main()
"""
ASLEEP = """
import time
print("ready", flush=True)
time.sleep(100)
"""


class Attach(support.TestCase):
    def setUp(self):
        super().setUp()
        self.log = self.work / "run.ctp"
        # Its path must be short enough for sys.remote_exec().
        private = tempfile.TemporaryDirectory(prefix="ctprof-", dir="/tmp")
        self.addCleanup(private.cleanup)
        self.private = pathlib.Path(private.name)

    def home(self):
        """A PYTHONHOME for an interpreter with sys.remote_exec()."""
        home = self.work / "home"
        if home.exists():
            return home
        library = pathlib.Path(os.__file__).parent
        ours = home / "lib" / library.name
        (ours / "encodings").mkdir(parents=True)
        for entry in library.iterdir():
            if entry.name != "encodings":
                (ours / entry.name).symlink_to(entry)
        for entry in (library / "encodings").glob("*.py"):
            text = entry.read_text()
            if entry.name == "__init__.py":
                text += REMOTE_EXEC
            (ours / "encodings" / entry.name).write_text(text)
        return home

    def start(self, text=LOOP, env=None):
        """A running program, when it has printed a line."""
        environment = {**self.environment(), **(env or {})}
        if not HAS_REMOTE_EXEC:
            environment["PYTHONHOME"] = str(self.home())
            text = HANDLER + text
        program = subprocess.Popen(
            [sys.executable, self.script(text)],
            cwd=self.work, env=environment, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(self.end, program)
        self.assertEqual(program.stdout.readline(), "ready\n")
        return program

    def end(self, program):
        """Kills it; returns what it wrote to standard error."""
        program.kill()
        return program.communicate(timeout=support.LIMIT_S)[1]

    def environment(self):
        environment = {**os.environ, "TMPDIR": str(self.private)}
        environment.pop("PYTHONPATH", None)
        environment.pop("LD_LIBRARY_PATH", None)
        return environment

    def record(self, pid, *options, status=0, duration="100ms"):
        """The messages of `ctprof record --pid`."""
        done = support.ctprof(
            "record", f"--pid={pid}", f"--duration={duration}", "-o", self.log,
            *options, cwd=self.work, env=self.environment(), check=False)
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stderr

    def begin(self, pid, *options):
        """A `ctprof record --pid` that has begun to record."""
        recorder = subprocess.Popen(
            [support.CTPROF, "record", f"--pid={pid}", "-o", self.log,
             *options], cwd=self.work, env=self.environment(),
            stderr=subprocess.PIPE, text=True)
        self.addCleanup(self.end, recorder)
        line = recorder.stderr.readline()
        self.assertIn("recording to", line)
        return recorder

    def wait_for(self, recorder, status=0):
        said = recorder.communicate(timeout=support.LIMIT_S)[1]
        self.assertEqual(recorder.returncode, status, said)
        return said

    def refuse(self, pid, *options, status=3):
        """The reason why a process is not recorded, in one line."""
        said = self.record(pid, *options, status=status)
        self.assertFalse(self.log.exists())
        self.assertEqual(os.listdir(self.private), [])
        (line,) = said.splitlines()
        start = f"ctprof: process {pid}: "
        self.assertTrue(line.startswith(start), line)
        return line.removeprefix(start)

    def set_mode(self, mode):
        (self.home() / "mode").write_text(mode)

    def test_running_program_is_recorded_with_its_open_frames(self):
        program = self.start()
        said = self.record(program.pid)
        self.assertEqual(os.listdir(self.private), [])
        self.assertIn(f"process {program.pid}: recording to ", said)
        self.assertIn("run.ctp: ", said)
        functions = {name[2]: function for name, function
                     in support.stats(self.log).items()}
        self.assertGreater(functions["leaf"].ncalls, 2)
        self.assertEqual(functions["leaf"].ncalls,
                         functions["work"].ncalls)
        self.assertEqual({key[2] for key in functions["work"].callers},
                         {"main", "helper"})
        for name in "main", "helper", "<module>":
            self.assertEqual(functions[name].ncalls, 1, name)
        # Nothing of ours is there.
        for file, _, name in support.stats(self.log):
            self.assertNotIn(str(PACKAGE), file)
            self.assertNotEqual(file, "<string>")
            self.assertNotIn("remote", name)
        self.assertIsNone(program.poll())
        self.assertEqual(self.end(program), "")

    @unittest.skipUnless(HAS_REMOTE_EXEC, "needs sys.remote_exec()")
    def test_only_the_programs_functions_are_recorded(self):
        program = self.start()
        self.record(program.pid)
        names = set(support.calls(self.log))
        self.assertEqual(names - {"_bootstrap", "_bootstrap_inner", "run"}, {
            "<module>", "main", "helper", "work", "leaf",
            "<built-in method builtins.len>",
            "<built-in method time.sleep>"})

    def test_program_can_be_recorded_again(self):
        program = self.start()
        for options in ((), ("--no-c-calls",), ("--exclude=program",
                                                "--depth=0")):
            self.record(program.pid, "--force", *options)
            calls = support.calls(self.log)
            builtins = [name for name in calls if "built-in" in name]
            self.assertEqual(bool(builtins), options == () or
                             "--depth=0" in options)
            self.assertEqual(bool(calls["work"]), "--depth=0" not in options)
        self.assertEqual(self.end(program), "")

    def test_settings_of_the_recorder_reach_it(self):
        program = self.start()
        self.record(program.pid, "--min-ns=1s")
        self.assertEqual(support.calls(self.log)["leaf"], 0)
        self.record(program.pid, "--force", "--policy=drop", "--clock=events")
        facts = json.loads(support.ctprof("info", "--json",
                                          self.log).stdout)["facts"]
        self.assertEqual((facts["policy"], facts["clock"]),
                         ("drop", "events"))
        done = support.ctprof(
            "record", "--force", f"--pid={program.pid}", "-o", self.log,
            check=False, env={**self.environment(), "CTPROF_LEVEL": "x"})
        self.assertIn("CTPROF_LEVEL=x: invalid value", done.stderr)
        # Its own environment is as before.
        self.record(program.pid)

    def test_signal_stops_and_converts(self):
        program = self.start()
        self.log = self.work / "run.pstats"
        for number in signal.SIGINT, signal.SIGTERM:
            recorder = self.begin(program.pid, "--force")
            time.sleep(0.2)
            recorder.send_signal(number)
            self.assertIn("run.pstats: recorded", self.wait_for(recorder))
            self.assertGreater(support.calls(self.log)["work"], 0)
        self.assertEqual(list(self.work.glob("*.ctp")), [])

    def test_end_of_the_program_ends_the_recording(self):
        program = self.start(LOOP.replace(
            "while True:", "while not os.path.exists('end'):"))
        recorder = self.begin(program.pid)
        time.sleep(0.2)
        (self.work / "end").touch()
        said = self.wait_for(recorder)
        self.assertIn(f"process {program.pid} has ended\n", said)
        self.assertEqual(program.wait(), 0)
        self.assertEqual(program.stderr.read(), "")
        self.assertGreater(support.calls(self.log)["work"], 0)

    def test_log_of_a_killed_program_is_completed(self):
        program = self.start()
        recorder = self.begin(program.pid)
        time.sleep(0.2)
        program.kill()
        program.wait()
        said = self.wait_for(recorder)
        self.assertIn("taken from its buffers", said)
        self.assertGreater(support.calls(self.log)["work"], 0)

    def test_second_recording_waits_for_the_end_of_the_first(self):
        program = self.start()
        first = self.begin(program.pid, "-o", self.work / "first.ctp")
        said = self.record(program.pid, status=3)
        self.assertIn("not recording: another ctprof is recording it", said)
        # A killed one cannot stop its recording; the next does.
        first.kill()
        first.wait()
        for file in self.private.glob("*/*"):
            file.unlink()
        for directory in self.private.iterdir():
            directory.rmdir()
        self.record(program.pid)
        for log in self.log, self.work / "first.ctp":
            self.assertGreater(support.calls(log)["work"], 0)

    def test_recorded_program_is_refused(self):
        out = self.work / "own.ctp"
        program = self.start(
            f"import sys\nsys.path.insert(0, {str(PACKAGE.parent)!r})\n"
            f"import ctprof\nctprof.start({str(out)!r})\n" + LOOP,
            env={"LD_LIBRARY_PATH": os.environ.get("LD_LIBRARY_PATH", "")})
        self.assertEqual(
            self.refuse(program.pid), "not recording: it is recorded already: "
            f"recording to {out}")

    def test_forked_child_is_not_recorded(self):
        program = self.start("""
import os, time
def child():
    return 1
def main():
    print("ready", flush=True)
    while True:
        pid = os.fork()
        if pid == 0:
            child()
            os._exit(0)
        os.waitpid(pid, 0)
        time.sleep(0.01)
main()
""")
        self.record(program.pid)
        self.assertGreater(
            support.calls(self.log)["<built-in method posix.fork>"], 0)
        self.assertEqual(support.calls(self.log)["child"], 0)
        self.assertEqual(list(self.work.glob("*.ctp")), [self.log])

    def test_process_without_python_code_is_given_up(self):
        program = self.start(ASLEEP)
        if not HAS_REMOTE_EXEC:
            self.set_mode("silent")
        self.assertEqual(
            self.refuse(program.pid, "--wait=50ms", status=6),
            "its main thread runs no Python code: it is in C code or asleep; "
            "a longer --wait may help")

    @unittest.skipUnless(HAS_REMOTE_EXEC, "a signal would wake it")
    def test_process_that_sleeps_on_completes_its_log_later(self):
        program = self.start("""
import os, sys, time
print("ready", flush=True)
def work():
    time.sleep(0.01)
while not os.path.exists("asleep"):
    work()
print("asleep", flush=True)
sys.stdin.readline()
while True:
    work()
""")
        recorder = self.begin(program.pid)
        (self.work / "asleep").touch()
        self.assertEqual(program.stdout.readline(), "asleep\n")
        # The second one while it waits for the program.
        recorder.send_signal(signal.SIGINT)
        time.sleep(0.3)
        recorder.send_signal(signal.SIGINT)
        said = self.wait_for(recorder, status=6)
        self.assertIn("still recording, since its main thread runs no Python "
                      f"code; it completes {self.log} when it does", said)
        program.stdin.write("\n")
        program.stdin.flush()
        deadline = time.monotonic() + support.LIMIT_S
        while os.listdir(self.private) and time.monotonic() < deadline:
            time.sleep(0.01)
        self.assertEqual(os.listdir(self.private), [])
        self.assertGreater(support.calls(self.log)["work"], 0)

    def test_interpreter_that_cannot_be_reached_is_explained(self):
        program = self.start(env={"PYTHON_DISABLE_REMOTE_DEBUG": "1"})
        if not HAS_REMOTE_EXEC:
            self.set_mode("RuntimeError('Remote debugging is not enabled')")
        self.assertEqual(
            self.refuse(program.pid), "remote debugging is off: start the "
            "program without PYTHON_DISABLE_REMOTE_DEBUG and "
            "-X disable-remote-debug")

    @unittest.skipIf(HAS_REMOTE_EXEC, "needs a false sys.remote_exec()")
    def test_failures_of_the_interpreter_are_explained(self):
        program = self.start()
        self.set_mode("PermissionError(1, 'no')")
        self.assertIn("not permitted: ", self.refuse(program.pid))
        self.set_mode("OSError('odd')")
        self.assertIn("cannot reach it: OSError: odd",
                      self.refuse(program.pid))

    @unittest.skipIf(HAS_REMOTE_EXEC, "needs an older Python")
    def test_older_python_is_refused_with_its_version(self):
        program = subprocess.Popen([sys.executable, "-c", "input()"],
                                   stdin=subprocess.PIPE)
        self.addCleanup(self.end, program)
        version = ".".join(map(str, sys.version_info[:3]))
        self.assertEqual(
            self.refuse(program.pid), f"runs Python {version}, and --pid needs "
            "3.14; start it by 'ctprof record --python --last=N', and SIGUSR2 "
            "writes a log at any time")

    def test_other_processes_are_refused(self):
        program = subprocess.Popen(["sleep", "100"])
        self.addCleanup(self.end, program)
        self.assertRegex(self.refuse(program.pid), "sleep is not Python$")
        program.kill()
        program.wait()
        self.assertEqual(self.refuse(program.pid), "no such process")

    def test_options_that_make_no_sense_are_a_mistake(self):
        for options, words in (
                (["--pid=1", "true"], "--pid and a program exclude"),
                (["--duration=1s", "true"], "--duration needs --pid"),
                (["--wait=1s", "true"], "--wait needs --pid"),
                (["--pid=0"], "--pid: "),
                (["--pid=1", "--compile"], "--compile is not for --pid"),
                (["--pid=1", "--gpu"], "--gpu and --emit are not for --pid"),
                (["--pid=1", "--filter=a"], "--pid records Python functions"),
                (["--pid=1", "-o", "%p.ctp"], "cannot contain %p")):
            done = support.ctprof("record", *options, check=False,
                                  cwd=self.work)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(words, done.stderr)

    def test_package_runs_it(self):
        program = self.start()
        done = support.python("-m", "ctprof", f"--pid={program.pid}",
                              "--duration=100ms", "-o", self.log)
        self.assertIn("recording to", done.stderr)
        self.assertEqual(support.calls(self.log)["main"], 1)
        for options, words in (
                (["--pid=1", "x.py"], "--pid and a program exclude"),
                (["--pid=1", "-s", "calls"], "--sort is not for --pid"),
                (["--wait=1s", "x.py"], "--wait needs --pid"),
                (["--pid=x"], "'x' is not a count")):
            done = support.python("-m", "ctprof", *options, status=2)
            self.assertIn(words, done.stderr)


if __name__ == "__main__":
    unittest.main()
