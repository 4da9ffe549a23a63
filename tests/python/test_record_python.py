# SPDX-License-Identifier: MIT
"""ctprof record --python: every interpreter that a program starts records into
its own log, however it ends."""

import os
import pathlib
import shutil
import signal
import sys
import unittest

import support

import ctprof

PACKAGE = pathlib.Path(ctprof.__file__).parent
WORKER = """
def work(n):
    return sum(range(n))
"""
PROCESS = WORKER + """
import multiprocessing, sys
if __name__ == "__main__":
    context = multiprocessing.get_context(sys.argv[1])
    child = context.Process(target=work, args=(5,))
    child.start()
    child.join()
    sys.exit(child.exitcode)
"""
EXECUTOR = WORKER + """
import concurrent.futures, multiprocessing, sys
if __name__ == "__main__":
    with concurrent.futures.ProcessPoolExecutor(
            1, multiprocessing.get_context(sys.argv[1])) as pool:
        print(list(pool.map(work, [5, 6])))
"""


class RecordPython(support.TestCase):
    def setUp(self):
        super().setUp()
        self.log = self.work / "run.ctp"

    def record(self, *arguments, options=(), check=True, env=None, **more):
        """The message of `ctprof record --python` for a run of this
        interpreter."""
        environment = {**os.environ, **(env or {})}
        if not env or "PYTHONPATH" not in env:
            # It finds the package and the library by itself.
            environment.pop("PYTHONPATH", None)
        environment.pop("LD_LIBRARY_PATH", None)
        return support.ctprof(
            "record", "--python", "--separate", "-o", self.log, *options, "--",
            sys.executable, *arguments, cwd=self.work, env=environment,
            check=check, **more)

    def children(self):
        return sorted(self.work.glob("run.[0-9]*.ctp"))

    def callers_of_work(self):
        """The logs in which work() was called, except the first."""
        return [log for log in self.children()
                if support.calls(log)["work"] > 0]

    def test_script_is_recorded_and_runs_as_without(self):
        self.script(WORKER + "import sys\nprint(work(4), sys.argv, sys.path)\n"
                    "sys.exit(3)\n")
        plain = support.python("program.py", "x", cwd=self.work, check=False,
                               env={"PYTHONPATH": ""})
        done = self.record("program.py", "x", check=False)
        self.assertEqual((done.stdout, done.returncode),
                         (plain.stdout, plain.returncode))
        self.assertEqual(support.calls(self.log)["work"], 1)
        self.assertEqual(self.children(), [])

    def test_profiler_hides(self):
        self.script(WORKER + "work(3)")
        self.record("program.py")
        functions = support.stats(self.log)
        self.assertEqual([key for key in functions
                          if str(PACKAGE) in key[0]], [])

    def test_next_sitecustomize_is_loaded(self):
        self.script("print('mine')\nfound = 1", "site/sitecustomize.py")
        done = self.record(
            "-c", "import sys, sitecustomize; print(sitecustomize.found)\n"
            "print([path for path in sys.path if 'ctprof' in path])",
            env={"PYTHONPATH": str(self.work / "site")})
        mine = [str(self.work / "site")]
        self.assertEqual(
            done.stdout,
            f"mine\n1\n{[path for path in mine if 'ctprof' in path]}\n")

    def test_failing_sitecustomize_is_reported_as_without_ctprof(self):
        self.script("1 / 0", "site/sitecustomize.py")
        path = str(self.work / "site")
        plain = support.python("-c", "print(1)", env={"PYTHONPATH": path})
        done = self.record("-c", "print(1)", env={"PYTHONPATH": path})
        self.assertEqual(done.stdout, plain.stdout)
        self.assertTrue(done.stderr.startswith(plain.stderr), done.stderr)
        self.assertTrue(self.log.exists())

    def test_start_of_the_interpreter_is_left_out(self):
        self.script("def mine(): pass\nmine()", "home/usercustomize.py")
        self.script(WORKER + "work(3)")
        for options in ((), ("-s",)):
            self.record(*options, "program.py", options=["--force"],
                        env={"PYTHONPATH": str(self.work / "home")})
            calls = support.calls(self.log)
            self.assertEqual(calls["mine"], 0)
            self.assertEqual(calls["execusercustomize"], 0)
            self.assertEqual(calls["work"], 1)

    def test_without_one_there_is_no_sitecustomize(self):
        code = "import sys; print('sitecustomize' in sys.modules)"
        plain = support.python("-c", code, env={"PYTHONPATH": ""})
        self.assertEqual(self.record("-c", code).stdout, plain.stdout)

    def test_subprocess_has_a_log_of_its_own(self):
        self.script(WORKER + "work(1)", "child.py")
        self.record("-c", "import subprocess, sys\n"
                    "subprocess.run([sys.executable, 'child.py'])")
        (child,) = self.children()
        self.assertEqual(support.calls(child)["work"], 1)
        self.assertEqual(support.calls(self.log)["work"], 0)

    def test_two_copies_of_the_package_are_one_recording(self):
        other = self.work / "other" / "ctprof"
        shutil.copytree(PACKAGE, other)
        self.script(WORKER + "work(1)")
        done = self.record("program.py",
                           env={"PYTHONPATH": str(other / "site")})
        self.assertNotIn("not recording", done.stderr)
        self.assertEqual(support.calls(self.log)["work"], 1)

    def test_package_of_another_version_leads_to_that_of_this_one(self):
        version = "python{}.{}".format(*sys.version_info)
        if "t" in sys.abiflags:
            version += "t"
        other = self.work / "lib/python3.99/site-packages/ctprof"
        own = self.work / "lib" / version / "site-packages/ctprof"
        shutil.copytree(PACKAGE, own)
        shutil.copytree(PACKAGE, other, ignore=shutil.ignore_patterns("*.so"))
        self.script(WORKER + "work(1)")
        done = support.python(
            "program.py", cwd=self.work,
            env={"PYTHONPATH": str(other / "site"), "CTPROF_PYTHON": "",
                 "CTPROF_OUT": str(self.log)})
        self.assertEqual(done.stderr, "")
        self.assertEqual(support.calls(self.log)["work"], 1)

    def check_child(self, code):
        """The program starts one that has its own log."""
        self.script(WORKER + "work(1)", "child.py")
        self.record("-c", "import collections, os, subprocess, sys\n" + code,
                    options=["--force"])
        self.assertEqual(len(self.callers_of_work()), 1)
        for log in self.children():
            log.unlink()

    def test_subprocess_with_a_path_of_its_own_has_a_log(self):
        for env in ("dict(os.environ, PYTHONPATH=os.pathsep.join(sys.path))",
                    "dict(os.environ, PYTHONPATH='')",
                    "collections.OrderedDict(os.environ, PYTHONPATH='/')",
                    "{**os.environb, b'PYTHONPATH': b'/'}"):
            self.check_child("subprocess.run([sys.executable, 'child.py'], "
                             f"env={env})")
        self.check_child("env = collections.OrderedDict(os.environ)\n"
                         "del env['PYTHONPATH']\n"
                         "subprocess.run([sys.executable, 'child.py'], "
                         "env=env)\n"
                         "assert list(env)[-1] == 'PYTHONPATH'\n")

    def test_program_that_changes_its_own_path_is_followed(self):
        for change in ("os.environ['PYTHONPATH'] = '/'\n",
                       "del os.environ['PYTHONPATH']\n"):
            for start in ("subprocess.run(words)",
                          "subprocess.run(words, env=os.environ)",
                          "os.system(' '.join(words))",
                          "os.spawnv(os.P_WAIT, words[0], words)"):
                self.check_child(
                    f"{change}words = [sys.executable, 'child.py']\n{start}\n")

    @unittest.skipIf(sys.version_info < (3, 13), "it needs an environment")
    def test_spawned_child_with_the_programs_environment(self):
        self.check_child("os.environ['PYTHONPATH'] = '/'\n"
                         "os.waitpid(os.posix_spawn(sys.executable, "
                         "[sys.executable, 'child.py'], None), 0)")
        # The interpreter holds the array, and frees it if it has changed.
        done = self.record(
            "-c", "import os\ndel os.environ['PYTHONPATH']\n"
            "words = ['sh', '-c', 'echo said']\n"
            "os.waitpid(os.posix_spawn('/bin/sh', words, None), 0)",
            options=["--force"])
        self.assertEqual(done.stdout, "said\n")

    def test_strictness_about_bytes_is_respected(self):
        done = self.record(
            "-b", "-c", "import os, subprocess, sys\n"
            "subprocess.run([sys.executable, '-c', ''], env=dict(os.environ))")
        self.assertNotIn("BytesWarning", done.stderr)

    def test_subprocess_without_our_variables_is_left_alone(self):
        self.script("import os; print(sorted(os.environ))", "child.py")
        done = self.record(
            "-c", "import subprocess, sys\n"
            "env = {'PYTHONPATH': '/', 'A': '1'}\n"
            "subprocess.run([sys.executable, 'child.py'], env=env)")
        self.assertNotIn("CTPROF", done.stdout)
        self.assertEqual(self.children(), [])

    def hostile(self):
        """A directory with modules under every name that we or Python may look
        for; each leaves a mark. Returns its path, and the mark's."""
        mark = self.work / "mark"
        for name in sys.stdlib_module_names | {
                "ctprof", "msgpack", "sitecustomize", "usercustomize"}:
            self.script(f"open({str(mark)!r}, 'a').write({name!r} + ' ')\n",
                        f"hostile/{name}.py")
        return self.work / "hostile", mark

    def test_nothing_of_the_current_directory_is_imported(self):
        hostile, mark = self.hostile()
        self.script(WORKER + "work(1)", "child.py")
        program = self.script(
            WORKER + "import os, subprocess, sys\nwork(1)\n"
            "child = os.path.join(os.path.dirname(__file__), 'child.py')\n"
            "subprocess.run([sys.executable, child])\n"
            "subprocess.run([sys.executable, child],\n"
            "    env={**os.environ, 'PYTHONPATH': ''})\n")
        for env in {"PYTHONPATH": None}, {"PYTHONPATH": ""}:
            environment = {**os.environ, "LD_LIBRARY_PATH": "", **env}
            done = support.ctprof(
                "record", "--python", "--separate", "--force", "-o", self.log,
                "--",
                sys.executable, program, cwd=hostile,
                env={name: value for name, value in environment.items()
                     if value is not None})
            self.assertFalse(mark.exists() and mark.read_text())
            self.assertTrue(self.log.exists(), done.stderr)
            self.assertEqual(support.calls(self.log)["work"], 1)
        self.assertEqual(len(self.callers_of_work()), 4)
        support.python("-P", "-m", "ctprof", "--force", "-o", self.log,
                       program, cwd=hostile)
        self.assertFalse(mark.exists() and mark.read_text())

    def test_paths_that_we_extend_get_no_empty_element(self):
        names = "PYTHONPATH", "LD_PRELOAD", "LD_LIBRARY_PATH", "PATH"
        program = self.script(f"import os\nfor name in {names!r}:\n"
                              "    print(name, os.environ.get(name))\n")
        for value in None, "":
            environment = dict(os.environ)
            for name in names[:3]:
                environment.pop(name, None)
                if value is not None:
                    environment[name] = value
            done = support.ctprof("record", "--python", "--force", "-o",
                                  self.log, "--", sys.executable, program,
                                  cwd=self.work, env=environment)
            found = dict(line.split(" ", 1)
                         for line in done.stdout.splitlines())
            self.assertEqual(found["PATH"], environment["PATH"])
            self.assertEqual(found["LD_LIBRARY_PATH"], str(value))
            for name in "PYTHONPATH", "LD_PRELOAD":
                self.assertTrue(all(
                    element.startswith("/")
                    for element in found[name].split(":")), found[name])

    def test_sub_interpreters_are_reported_once(self):
        self.script("""
try:
    import _interpreters as interpreters
except ImportError:
    import _xxsubinterpreters as interpreters
run = getattr(interpreters, "exec", None) or interpreters.run_string
for _ in range(3):
    one = interpreters.create()
    run(one, "print(sum([1, 2]))")
    interpreters.destroy(one)
""" + WORKER + "print(work(2))")
        plain = support.python("program.py", cwd=self.work)
        done = self.record("program.py", options=["--quiet"])
        self.assertEqual(done.stdout, plain.stdout)
        self.assertEqual(
            done.stderr,
            "ctprof: code in sub-interpreters is not recorded\n")
        self.assertEqual(support.calls(self.log)["work"], 1)

    def test_processes_of_multiprocessing_have_logs(self):
        self.script(PROCESS)
        for method in ("fork", "spawn", "forkserver"):
            with self.subTest(method):
                self.record("program.py", method, options=["--force"])
                (log,) = self.callers_of_work()
                self.assertEqual(support.calls(log)["work"], 1)
                for log in self.children():
                    log.unlink()

    def test_processes_of_executors_have_logs(self):
        self.script(EXECUTOR)
        for method in ("fork", "spawn"):
            with self.subTest(method):
                done = self.record("program.py", method, options=["--force"])
                self.assertEqual(done.stdout, "[10, 15]\n")
                (log,) = self.callers_of_work()
                self.assertEqual(support.calls(log)["work"], 2)
                for log in self.children():
                    log.unlink()

    def test_a_killed_interpreter_is_completed(self):
        for end, status in (("os._exit(7)", 7),
                            ("os.kill(os.getpid(), signal.SIGKILL)",
                             -signal.SIGKILL)):
            with self.subTest(end):
                self.script(WORKER + "import os, signal\nwork(3)\n" + end)
                done = self.record("program.py", options=["--force"],
                                   check=False)
                self.assertEqual(done.returncode, status)
                self.assertIn("run.ctp: the program ", done.stderr)
                self.assertEqual(support.calls(self.log)["work"], 1)
                self.assertEqual(list(self.work.glob("*.spool")), [])

    def test_options_reach_the_tracer(self):
        self.script(WORKER + "work(len('abc'))\n")
        builtin = "<built-in method builtins.len>"
        self.record("program.py")
        self.assertGreater(support.calls(self.log)[builtin], 0)
        self.record("program.py", options=["--force", "--no-c-calls"])
        self.assertEqual(support.calls(self.log)[builtin], 0)
        self.assertEqual(support.calls(self.log)["work"], 1)
        self.record("program.py",
                    options=["--force", "--exclude=*program.py"])
        self.assertEqual(support.calls(self.log)["work"], 0)
        self.record("program.py",
                    options=["--force", "--include=*program.py"])
        self.assertEqual(support.calls(self.log)["work"], 1)

    def test_unsupported_option_is_reported(self):
        done = self.record("-c", "print(1)", options=["--calls=all"])
        self.assertEqual(done.stdout, "1\n")
        if "monitoring" in support.HOOKS:
            self.assertTrue(self.log.exists())
        else:
            self.assertIn("ctprof: not recording: calls='all' needs",
                          done.stderr)

    def test_interpreter_that_cannot_be_reached_is_explained(self):
        for option in ("-I", "-E", "-S", "-BE"):
            with self.subTest(option):
                done = self.record(option, "-c", "pass")
                self.assertIn(f"run.ctp: no log was made: with {option}, ",
                              done.stderr)
                self.assertFalse(self.log.exists())

    def test_program_without_python_is_explained(self):
        done = support.ctprof("record", "--python", "-o", self.log, "true",
                              cwd=self.work)
        self.assertIn("no log was made: true ran no Python", done.stderr)

    def test_trace_of_the_program_itself_is_refused(self):
        done = self.record("-c", "import ctprof\n"
                           "try: ctprof.start()\n"
                           "except RuntimeError as error: print(error)",
                           env={"PYTHONPATH": str(PACKAGE.parent)})
        self.assertIn("already", done.stdout)
        self.assertTrue(self.log.exists())

    def test_ranges_of_the_program_are_in_the_log(self):
        self.script(WORKER + "import ctprof\n"
                    "with ctprof.range('block'): work(3)")
        self.record("program.py", env={"PYTHONPATH": str(PACKAGE.parent)})
        functions = {key[2]: function for key, function
                     in support.stats(self.log).items()}
        self.assertEqual([key[2] for key in functions["work"].callers],
                         ["block"])

    def test_options_without_python_are_a_mistake(self):
        done = support.ctprof("record", "--calls=all", "true", cwd=self.work,
                              check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("--calls needs --python", done.stderr)


if __name__ == "__main__":
    unittest.main()
