# SPDX-License-Identifier: MIT
"""python3 -m ctprof runs a program as python3 does: its environment, its
output, its end; and its log."""

import json
import os
import pathlib
import pstats
import re
import shutil
import signal
import subprocess
import sys
import unittest

import support

import ctprof
from ctprof import _options

RECORDED = "ctprof: run.ctp: recorded\n"
NOTHING = "ctprof: nothing was recorded\n"

LOOKS = """
import builtins, sys
main = sys.modules["__main__"]
print(sys.argv, sys.path[:1], __name__, main.__dict__ is globals(),
      sorted(globals()), __spec__, globals().get("__file__"),
      __builtins__ is builtins, type(__loader__))
"""
RAISES = """
def fails():
    return {}["a"]
try:
    fails()
except KeyError:
    1 / 0
"""
AT_EXIT = """
import atexit, threading
go = threading.Event()
def later():
    go.wait()
    print("thread")
def last():
    print("handler")
atexit.register(last)
threading.Thread(target=later).start()
go.set()
"""
POOL = """
import multiprocessing, sys
class Box:
    def __init__(self, value):
        self.value = value
def double(box):
    return Box(2 * box.value)
if __name__ == "__main__":
    with multiprocessing.get_context(sys.argv[1]).Pool(1) as pool:
        print([box.value for box in pool.map(double, [Box(1), Box(2)])])
"""
WORKS = """
def inner(n):
    return [len("abc") for _ in range(n)]
def outer():
    inner(3)
    return sorted("cab", key=str.lower)
outer()
"""


class Run(support.TestCase):
    def setUp(self):
        super().setUp()
        self.log = self.work / "run.ctp"

    def run_with(self, *arguments, check=False, force=True, **options):
        if force:
            arguments = ("--force", *arguments)
        return support.python("-m", "ctprof", *arguments, cwd=self.work,
                              check=check, **options)

    def same(self, *arguments, last=RECORDED, **options):
        """The same output and status as python3's, and one line of ours."""
        plain = support.python(*arguments, cwd=self.work, check=False,
                               **options)
        ours = self.run_with(*arguments, **options)
        self.assertEqual(support.plain(ours.stdout),
                         support.plain(plain.stdout))
        self.assertEqual(ours.stderr, plain.stderr + last)
        self.assertEqual(ours.returncode, plain.returncode)
        return ours

    def test_script_is_main_and_has_its_arguments(self):
        self.script(LOOKS)
        self.same("program.py", "-o", "x", "--", "y")

    def test_script_elsewhere_has_its_directory_in_the_path(self):
        self.script(LOOKS, "far/away/program.py")
        self.same("far/away/program.py")

    def test_script_behind_a_link_has_the_directory_of_the_file(self):
        self.script(LOOKS, "far/program.py")
        (self.work / "link.py").symlink_to("far/program.py")
        self.same("link.py")

    def test_compiled_script(self):
        source = self.script(LOOKS)
        support.python("-c", "import py_compile, sys; py_compile.compile("
                       "sys.argv[1], cfile=sys.argv[2])", source,
                       self.work / "program.pyc")
        self.same("program.pyc")

    def test_script_of_standard_input(self):
        for words in (LOOKS, RAISES, "print(input())", "def f(:\n"):
            last = NOTHING if words.startswith("def f(:") else RECORDED
            self.same("-", "-o", "x", input=words, stdin=None, last=last)

    def test_script_in_a_pipe(self):
        self.same("/dev/stdin", "x", stdin=None,
                  input="import sys; print(sys.argv, __file__)")

    def test_module_is_main_and_has_its_arguments(self):
        self.script(LOOKS, "package/__main__.py")
        self.script("", "package/__init__.py")
        self.same("-m", "package", "-c", "x")

    def test_module_in_the_option_itself(self):
        self.script(LOOKS)
        self.same("-mprogram")

    def test_code_is_main_and_has_its_arguments(self):
        self.same("-c", LOOKS, "-m", "x")

    def test_directory_with_a_main(self):
        self.script(LOOKS, "package/__main__.py")
        self.same("package", "x")

    def test_safe_path_is_kept(self):
        self.script("import sys; print(sys.path)")
        plain = support.python("-P", "program.py", cwd=self.work)
        ours = support.python("-P", "-m", "ctprof", "program.py",
                              cwd=self.work)
        self.assertEqual(ours.stdout, plain.stdout)

    def test_exit_status_is_kept(self):
        for end in ("sys.exit(3)", "sys.exit('words')", "sys.exit()",
                    "raise SystemExit(True)"):
            self.same("-c", "import sys; " + end)

    def test_exception_has_its_traceback_and_a_log(self):
        self.script(RAISES)
        self.same("program.py")
        self.assertEqual(support.calls(self.log)["fails"], 1)

    def test_exception_in_a_module_and_in_code(self):
        self.script(RAISES)
        self.same("-m", "program")
        self.same("-c", RAISES)

    def test_excepthook_of_the_program_is_called(self):
        self.same("-c", "import sys, traceback\n"
                  "def hook(*error):\n"
                  "    print('hook', error[0], error[1].__traceback__ is\n"
                  "          error[2], traceback.extract_tb(error[2]))\n"
                  "sys.excepthook = hook\n"
                  "1 / 0\n")

    def test_keyboard_interrupt_kills_as_without(self):
        ours = self.same("-c", "raise KeyboardInterrupt")
        self.assertEqual(ours.returncode, -signal.SIGINT)

    def test_syntax_error(self):
        self.script("def f(:\n")
        self.same("program.py", last=NOTHING)
        self.same("-c", "(", last=NOTHING)
        self.assertFalse(self.log.exists())

    def test_script_that_does_not_exist(self):
        ours = self.same("none.py", last=NOTHING)
        self.assertEqual(ours.returncode, 2)
        self.assertFalse(self.log.exists())

    def test_module_that_does_not_exist(self):
        self.same("-m", "no_such_module", last=NOTHING)
        self.assertEqual(list(self.work.iterdir()), [])
        said = self.run_with("-o", "run.pstats", "-m", "no_such_module")
        self.assertEqual(said.returncode, 1)
        self.assertTrue(said.stderr.endswith("no_such_module\n" + NOTHING),
                        said.stderr)
        self.assertEqual(list(self.work.iterdir()), [])

    def test_output_that_cannot_be_written(self):
        plain = support.python("-c", "print(1); raise SystemExit(4)",
                               check=False)
        ours = self.run_with("-o", "none/run.ctp", "-c",
                             "print(1); raise SystemExit(4)")
        self.assertEqual(ours.stdout, plain.stdout)
        self.assertEqual(ours.returncode, plain.returncode)
        self.assertRegex(ours.stderr, r"\Actprof: not recording: .*none/run"
                         r"\.ctp: No such file or directory\n\Z")

    def test_existing_output_is_refused_without_force(self):
        for name in ("run.ctp", "run.pstats"):
            out = self.work / name
            out.write_text("precious")
            ours = self.run_with("-o", name, "-c", "print(1)", force=False)
            self.assertEqual(
                (ours.returncode, ours.stdout, ours.stderr),
                (5, "", f"ctprof: {name}: exists; --force overwrites it\n"))
            self.assertEqual(out.read_text(), "precious")
            self.run_with("-o", name, "-c", "print(1)", check=True)
            self.assertNotEqual(out.read_bytes(), b"precious")
        self.assertEqual(
            self.run_with("-c", "print(1)", force=False).returncode, 5)
        self.run_with("-s", "calls", "-c", "print(1)", check=True, force=False)

    def test_commands_of_ctprof_are_passed_through(self):
        self.run_with("-c", "len('')", check=True)
        for words in (["stats", "run.ctp"], ["stats"], ["info", "none.ctp"]):
            ours = self.run_with(*words, force=False)
            plain = support.ctprof(*words, cwd=self.work, check=False,
                                   stdin=subprocess.DEVNULL)
            self.assertEqual((ours.returncode, ours.stdout, ours.stderr),
                             (plain.returncode, plain.stdout, plain.stderr))
        listed = re.findall(r"^  (\w+) ", support.ctprof("--help").stdout,
                            re.MULTILINE)
        listed = [name for name in listed if name != "ctprof"]
        self.assertEqual(sorted(_options.COMMANDS), sorted(listed))

    def test_full_disk_is_reported(self):
        ours = self.run_with("-o", "/dev/full", "-c", "print(1)")
        self.assertEqual((ours.stdout, ours.returncode), ("1\n", 0))
        self.assertRegex(ours.stderr, r"\Actprof: .*No space left.*\n\Z")

    def test_program_may_change_its_directory(self):
        self.run_with("-c", "import os; os.chdir('/')", check=True)
        self.assertTrue(self.log.exists())

    def test_threads_and_handlers_are_recorded_to_the_end(self):
        self.script(AT_EXIT)
        self.same("program.py")
        calls = support.calls(self.log)
        self.assertEqual((calls["later"], calls["last"]), (1, 1))

    def test_classes_of_main_can_be_pickled(self):
        self.script(POOL)
        for method in ("fork", "spawn", "forkserver"):
            self.same("program.py", method)

    def test_separate_children_have_logs_of_their_own(self):
        self.script(POOL)
        for method in "fork", "spawn", "forkserver":
            with self.subTest(method):
                for old in self.work.glob("run.[0-9]*.ctp"):
                    old.unlink()
                self.run_with("--separate", "program.py", method, check=True)
                children = sorted(self.work.glob("run.[0-9]*.ctp"))
                self.assertGreater(len(children), 0)
                counts = [support.calls(log)["double"] for log in children]
                self.assertEqual(sum(counts), 2)
                self.assertEqual(support.calls(self.log)["double"], 0)

    def test_exec_is_the_root_and_the_profiler_hides(self):
        self.script(WORKS)
        self.run_with("program.py", check=True)
        functions = support.stats(self.log)
        package = str(pathlib.Path(ctprof.__file__).parent)
        self.assertEqual([key for key in functions if package in key[0]], [])
        roots = [key for key, function in functions.items()
                 if not function.callers]
        self.assertEqual(roots, [("~", 0, "<built-in method builtins.exec>")])

    def test_profile_has_the_keys_and_counts_of_cprofile(self):
        script = self.script(WORKS)
        self.run_with("-q", "-o", "ours.prof", script, check=True)
        support.python("-m", "cProfile", "-o", "theirs.prof", script,
                       cwd=self.work)
        ours, theirs = (
            {key: row[:2] for key, row in
             pstats.Stats(str(self.work / name)).stats.items()}
            for name in ("ours.prof", "theirs.prof"))
        del theirs["~", 0,
                   "<method 'disable' of '_lsprof.Profiler' objects>"]
        self.assertEqual(ours, theirs)
        self.assertEqual(sorted(path.name for path in self.work.iterdir()),
                         ["ours.prof", "program.py", "theirs.prof"])

    def test_suffix_of_the_output_chooses_the_format(self):
        self.run_with("-o", "run.json", "-c", "len('')", check=True)
        trace = json.loads((self.work / "run.json").read_text())
        self.assertIn("<built-in method builtins.len>",
                      [event["name"] for event in trace["traceEvents"]])

    def test_longest_suffix_of_the_output_chooses_the_format(self):
        self.run_with("-o", "run.speedscope.json", "-c", "len('')",
                      check=True)
        file = json.loads((self.work / "run.speedscope.json").read_text())
        self.assertIn("<built-in method builtins.len>",
                      [frame["name"] for frame in file["shared"]["frames"]])

    def test_suffix_that_no_format_has_is_refused(self):
        for env in ({}, {"PATH": str(self.work), "CTPROF": ""}):
            said = self.run_with("-o", "run.xyz", "-c", "print(1)", env=env)
            self.assertEqual((said.returncode, said.stdout), (2, ""))
            self.assertRegex(said.stderr, r"\Actprof: run.xyz: no format .*; "
                             r"the suffixes are .ctp, .*\.json")

    def test_profile_is_there_however_the_program_ends(self):
        for end, status in (("os._exit(7)", 7),
                            ("signal.raise_signal(signal.SIGTERM)",
                             -signal.SIGTERM),
                            ("os.kill(os.getpid(), signal.SIGKILL)",
                             -signal.SIGKILL),
                            ("os.fork() or os._exit(0); os.wait()", 0)):
            code = ("import os, signal\ndef work(): pass\n"
                    f"work()\n{end}")
            said = self.run_with("-o", "run.pstats", "-c", code)
            self.assertEqual(said.returncode, status, said.stderr)
            self.assertEqual([path.name for path in self.work.iterdir()],
                             ["run.pstats"])
            stats = pstats.Stats(str(self.work / "run.pstats")).stats
            self.assertEqual(stats["<string>", 2, "work"][0], 1)

    @unittest.skipIf(os.getuid() != 0, "only root may become another user")
    def test_program_that_gives_up_its_rights_has_its_profile(self):
        code = "import os; os.setuid(65534)\ndef work(): pass\nwork()"
        for name in ("run.ctp", "run.pstats"):
            said = self.run_with("-o", name, "-c", code)
            self.assertEqual(said.stderr, f"ctprof: {name}: recorded\n")
            self.assertTrue((self.work / name).exists())

    def test_profile_is_converted_without_the_program(self):
        package = self.work / "far/from/all/ctprof"
        shutil.copytree(pathlib.Path(ctprof.__file__).parent, package)
        alone = {"PYTHONPATH": package.parent, "PATH": self.work, "CTPROF": ""}
        said = self.run_with("-o", "run.pstats", "-c",
                             "import os\nos.fork() or os._exit(0)\nos.wait()",
                             env=alone).stderr
        self.assertRegex(said, r"logs of children may be incomplete: .*\n"
                               r"ctprof: run.pstats: recorded\n\Z")
        self.assertIn(("~", 0, "<built-in method posix.wait>"),
                      pstats.Stats(str(self.work / "run.pstats")).stats)
        said = self.run_with("-o", "run.svg", "-c", "", env=alone).stderr
        kept = next(self.work.glob("run.svg.*.ctp"))
        self.assertRegex(said, rf"\Actprof: .*cannot run gprof2dot .*; "
                               rf"the log is .*/{kept.name}\n\Z")
        support.calls(kept)

    def test_sort_prints_as_cprofile_does(self):
        self.script(WORKS)
        said = self.run_with("-s", "calls", "program.py", check=True)
        self.assertIn("Ordered by: call count", said.stdout)
        self.assertRegex(said.stdout,
                         r"\n +3 .* \{built-in method builtins.len\}\n")
        self.assertEqual([path.name for path in self.work.iterdir()],
                         ["program.py"])

    def test_unprintable_profile_leaves_nothing(self):
        for end, last in (("sys.stdout.close()",
                           "ctprof: I/O operation on closed file.\n"),
                          ("sys.stdout = None", "")):
            said = self.run_with("-s", "calls", "-c", "import sys; " + end,
                                 check=True)
            self.assertEqual((said.stdout, said.stderr), ("", last))
            self.assertEqual(list(self.work.iterdir()), [])

    def test_program_that_cannot_start_does_not_end_the_run(self):
        self.script("""
import ctprof
def refused():
    try:
        ctprof.start()
    except RuntimeError as error:
        print(error)
def after():
    pass
refused()
refused()
after()
""")
        said = self.run_with("-o", "run.ctp", "program.py", check=True)
        self.assertEqual(said.stdout.count("already"), 2)
        calls = support.calls(self.work / "run.ctp")
        self.assertEqual((calls["refused"], calls["after"]), (2, 1))

    def test_options_reach_the_tracer(self):
        self.script(WORKS)
        names = {}
        last_hook = f"--hook={support.HOOKS[-1]}"
        for options in ("", "--no-c-calls", "--exclude=*program*",
                        last_hook):
            self.run_with(*options.split(), "program.py", check=True)
            names[options] = set(support.calls(self.log))
        builtin = "<built-in method builtins.len>"
        self.assertIn(builtin, names[""])
        self.assertIn("inner", names["--no-c-calls"])
        self.assertNotIn(builtin, names["--no-c-calls"])
        self.assertNotIn("inner", names["--exclude=*program*"])
        self.assertEqual(names[last_hook], names[""])

    def test_recording_of_the_environment_is_joined(self):
        self.script(WORKS)
        out = self.work / "other.ctp"
        ours = self.run_with("program.py", env={"CTPROF_OUT": str(out)},
                             check=True)
        self.assertEqual(ours.stderr, "")
        self.assertFalse(self.log.exists())
        self.assertEqual(support.calls(out)["outer"], 1)

    def test_program_that_is_recorded_already_is_recorded_once(self):
        self.script(WORKS)
        ours = self.run_with("-m", "ctprof", "program.py", check=True)
        self.assertEqual(ours.stderr, RECORDED)
        self.assertEqual(support.calls(self.log)["outer"], 1)
        said = support.ctprof("record", "--python", "-o", "other.ctp", "--",
                              sys.executable, "-m", "ctprof", "program.py",
                              cwd=self.work).stderr
        self.assertEqual(len(said.splitlines()), 1, said)
        self.assertEqual(support.calls(self.work / "other.ctp")["outer"], 1)

    def test_program_may_stop_the_recording(self):
        ours = self.run_with("-c", "import ctprof\nlen('')\nctprof.stop()\n"
                             "abs(1)\nraise SystemExit(5)")
        self.assertEqual((ours.returncode, ours.stderr), (5, RECORDED))
        calls = support.calls(self.log)
        self.assertEqual(calls["<built-in method builtins.len>"], 1)
        self.assertEqual(calls["<built-in method builtins.abs>"], 0)

    def test_all_calls_or_a_reason(self):
        ours = self.run_with("--calls=all", "-c", "list(map(int, '12'))")
        if "monitoring" in support.HOOKS:
            self.assertEqual(ours.returncode, 0)
            self.assertEqual(support.calls(self.log)["<class 'list'>"],
                             1)
        else:
            self.assertEqual(ours.returncode, 2)
            self.assertIn("ctprof: calls='all' needs", ours.stderr)
            self.assertFalse(self.log.exists())

    def test_quiet_leaves_out_the_corrections_of_the_tracer(self):
        if "setprofile" not in support.HOOKS:
            self.skipTest("no program can replace the hook")
        code = "import sys; sys.setprofile(print)"
        for options in ((), ("-q",), ("-q", "-o", "run.json")):
            said = self.run_with(*options, "--force", "--hook=setprofile",
                                 "-c", code).stderr
            self.assertEqual("corrected" in said, not options, said)
        said = [support.ctprof("record", "--python", "--hook=setprofile",
                               "--force", *options, "--", sys.executable,
                               "-c", code, cwd=self.work).stderr
                for options in ((), ("-q",))]
        self.assertIn("corrected", said[0])
        self.assertNotIn("corrected", said[1])

    def test_unsupported_hook_is_a_mistake(self):
        for hook, words in (("monitoring", "needs Python 3.12"),
                            ("setprofile", "needs the interpreter's lock")):
            ours = self.run_with(f"--hook={hook}", "-c", "print(1)")
            if hook in support.HOOKS:
                self.assertEqual((ours.returncode, ours.stderr), (0, RECORDED))
                self.log.unlink()
                continue
            self.assertEqual((ours.returncode, ours.stdout), (2, ""))
            self.assertEqual(ours.stderr.count("\n"), 1, ours.stderr)
            self.assertIn(f"ctprof: hook '{hook}' {words}", ours.stderr)
            self.assertFalse(self.log.exists())

    def test_other_tracer_leaves_the_ranges(self):
        """All tool numbers are taken before the program runs."""
        if "monitoring" not in support.HOOKS:
            self.skipTest("there are no numbers to take")
        self.script("import sys\n"
                    "for n in (3, 4):\n"
                    "    sys.monitoring.use_tool_id(n, 'other')\n",
                    "sitecustomize.py")
        packages = f"{self.work}:{support.PACKAGES}"
        ours = self.run_with(
            "-c", "import ctprof\nwith ctprof.range('block'): len('')",
            env={"PYTHONPATH": packages})
        self.assertEqual(ours.returncode, 0)
        self.assertRegex(ours.stderr, r"\Actprof: calls are not recorded: "
                         r"sys\.monitoring: other tools .*\n" + RECORDED)
        self.assertEqual(dict(support.calls(self.log)), {"block": 1})

    def test_mistakes_are_reported(self):
        for arguments, words in (
                ([], "no program to run"),
                (["-m"], "-m: a value is missing"),
                (["--depth=deep", "x"], "--depth: 'deep' is not a count"),
                (["--calls=some", "x"], "is not one of builtin|all"),
                (["-s", "beauty", "x"], "is not a sort key of pstats"),
                (["--min-us=-1", "x"], "is not a time"),
                (["--wrong", "x"], "unknown option '--wrong'")):
            ours = self.run_with(*arguments)
            self.assertEqual(ours.returncode, 2)
            self.assertEqual(ours.stdout, "")
            self.assertIn(words, ours.stderr)

    def test_help_and_version(self):
        said = self.run_with("--help", check=True).stdout
        self.assertIn("-m ctprof [OPTION...] -m MODULE", said)
        said = self.run_with("-V", check=True).stdout
        self.assertEqual(said, support.ctprof("--version").stdout)

    def test_last_keeps_the_last_events(self):
        script = self.script("""
import os, signal
def call():
    pass
for _ in range(100_000):
    call()
""")
        self.run_with("--last=1000", script, check=True)
        done = support.ctprof("info", "--json", self.log)
        facts = json.loads(done.stdout)
        earlier = facts["notes"]["earlier_events"]
        # Two events for each call, and for the module and exec().
        self.assertEqual(2 * facts["counts"]["ranges"] + earlier, 200_004)
        self.assertGreater(earlier, 100_000)

    def test_dump_signal_writes_the_last_events(self):
        script = self.script("""
import os, signal, time
def call(): pass
for _ in range(100_000):
    call()
os.kill(os.getpid(), signal.SIGUSR1)
for _ in range(3000):
    if os.path.exists("run.ctp") and os.path.getsize("run.ctp") >= 1000:
        break
    time.sleep(0.01)
else:
    raise AssertionError("nothing was written")
""")
        self.run_with("--last=1000", "--dump-signal=USR1", script, check=True)
        # In the process itself, as with --sort, and from code.
        self.log.unlink()
        self.run_with("--last=1000", "--dump-signal=USR1", "-s", "calls",
                      "-o", "run.ctp", script, check=True)
        code = script.read_text()
        self.log.unlink()
        support.python("-c", f"""
import ctprof
ctprof.start("run.ctp", last=1000, dump_signal="USR1")
{code}
ctprof.stop()
""", cwd=self.work)
        with self.assertRaises(_options.UsageError):
            _options.read_command(["--dump-signal=INT", "program.py"])
        with self.assertRaisesRegex(ValueError, "'INT' is not one of"):
            ctprof.start(self.work / "no.ctp", dump_signal="INT")

    def test_last_is_a_number(self):
        for text in ("0", "x", "-1"):
            with self.assertRaises(_options.UsageError):
                _options.read_command([f"--last={text}", "program.py"])


if __name__ == "__main__":
    unittest.main()
