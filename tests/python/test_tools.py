# SPDX-License-Identifier: MIT
"""The magic of IPython and the option of pytest. If these are not installed,
minimal substitutes replace them."""

import contextlib
import importlib.util
import io
import linecache
import os
import pstats
import sys
import types
import unittest
import unittest.mock

import support

import ctprof

CELL = "def work(n):\n    return sum(range(n))\ntotal = work(3)\n"
TESTS = CELL + """
def test_one():
    assert work(4) == 6
def test_two():
    assert work(5) == 10
"""


class Shell:
    """The parts of an IPython shell that the magic uses."""

    execution_count = 1

    def __init__(self):
        self.user_ns = {}
        self.compile = types.SimpleNamespace(cache=self.cache)
        self.magics = {}

    def register_magic_function(self, function, kind, name):
        self.magics[kind, name] = function

    def cache(self, text, number):
        name = f"<{number}-{hash(text)}>"
        linecache.cache[name] = len(text), None, text.splitlines(True), name
        return name

    def transform_cell(self, cell):
        return cell.replace("!!", "")

    def run_cell_magic(self, name, line, cell):
        return self.magics["cell", name](line, cell)


def shell(work):
    if importlib.util.find_spec("IPython") is None:
        return Shell()
    os.environ["IPYTHONDIR"] = str(work / "ipython")
    from IPython.core.interactiveshell import InteractiveShell
    from traitlets.config import Config
    # Its history would outlive the directory.
    return InteractiveShell.instance(
        config=Config(HistoryManager={"enabled": False}))


class Magic(support.TestCase):
    def setUp(self):
        super().setUp()
        self.shell = shell(self.work)
        ctprof.load_ipython_extension(self.shell)

    def magic(self, line, cell=CELL):
        """Its output, and its messages."""
        out, err = io.StringIO(), self.work / "err"
        with contextlib.redirect_stdout(out), open(err, "wb") as file:
            saved = os.dup(2)
            os.dup2(file.fileno(), 2)
            try:
                self.shell.run_cell_magic("ctprof", line, cell)
            finally:
                os.dup2(saved, 2)
                os.close(saved)
        return out.getvalue(), err.read_text()

    def test_cell_is_run_and_its_profile_printed(self):
        said, _ = self.magic("")
        self.assertEqual(self.shell.user_ns["total"], 3)
        self.assertIn("Ordered by: cumulative time", said)
        self.assertRegex(said, r"\n +1 .*\(work\)\n")

    def test_order_and_options(self):
        said, _ = self.magic("-s calls --no-c-calls")
        self.assertIn("Ordered by: call count", said)
        self.assertIn("(work)", said)
        self.assertNotIn("builtins.sum", said)

    def test_file(self):
        out = self.work / "cell.pstats"
        self.assertEqual(self.magic(f"-o '{out}'"), ("", ""))
        names = {key[2] for key in pstats.Stats(str(out)).stats}
        self.assertIn("work", names)

    def profile_of(self, cell):
        out = self.work / "cell.pstats"
        self.magic(f"-o '{out}'", cell)
        return pstats.Stats(str(out)).stats

    def test_cell_that_raises_has_a_profile(self):
        out = self.work / "cell.ctp"
        with contextlib.suppress(ZeroDivisionError):
            self.magic(f"-o '{out}'", CELL + "1 / 0\n")
        self.assertEqual(support.calls(out)["work"], 1)
        self.magic("")  # nothing is left of it

    def test_traceback_has_the_lines_of_the_cell(self):
        out = self.work / "cell.ctp"
        with contextlib.suppress(ZeroDivisionError):
            self.magic(f"-o '{out}'", "def fails():\n    1 / 0\n")
            self.shell.user_ns["fails"]()
        code = self.shell.user_ns["fails"].__code__
        self.assertEqual(linecache.getline(code.co_filename, 2),
                         "    1 / 0\n")

    def test_profiler_is_not_seen(self):
        calls = {name for _, _, name in self.profile_of("pass\n")}
        self.assertEqual(calls, {"<module>", "<built-in method builtins.exec>"})

    def test_output_that_cannot_be_made_is_reported(self):
        out = self.work / "none/cell.ctp"
        said = self.magic(f"-o '{out}'", "ran = 1\n")
        self.assertRegex(said[1], r"\Actprof: nothing was run: .*No such file")
        self.assertNotIn("ran", self.shell.user_ns)

    def test_help_is_printed_and_nothing_run(self):
        said, _ = self.magic("--help", "ran_with_help = 1\n")
        self.assertIn("python3 -m ctprof", said)
        self.assertNotIn("ran_with_help", self.shell.user_ns)

    def test_mistake_is_reported(self):
        self.assertEqual(self.magic("--wrong"),
                         ("", "ctprof: unknown option '--wrong'\n"))


class FakePytest:
    """Calls the hooks of the plugin as pytest does."""

    @staticmethod
    def plugin():
        fake = types.ModuleType("pytest")
        fake.hookimpl = lambda **options: lambda function: function
        sys.modules["pytest"] = fake
        try:
            from ctprof import pytest_plugin
        finally:
            del sys.modules["pytest"]
        return pytest_plugin

    @staticmethod
    def config(path, worker):
        """Acts as one of xdist's workers, with what xdist gives and takes."""
        plugins = {}
        manager = types.SimpleNamespace(
            get_plugin=plugins.get,
            register=lambda plugin, name: plugins.update({name: plugin}))
        config = types.SimpleNamespace(
            getoption=lambda name: path, pluginmanager=manager,
            add_cleanup=lambda function: function())
        if worker is not None:
            config.workerinput = worker.workerinput
            config.workeroutput = worker.workeroutput
        return config

    @classmethod
    def run(cls, plugin, path, items, worker=None):
        options = {}
        group = types.SimpleNamespace(
            addoption=lambda name, **more: options.update({name: more}))
        plugin.pytest_addoption(
            types.SimpleNamespace(getgroup=lambda name: group))
        assert options["--ctprof"]["default"] is None
        config = cls.config(path, worker)
        plugin.pytest_configure(config)
        loop = plugin.pytest_runtestloop(types.SimpleNamespace(config=config))
        next(loop)
        for name, function in items.items():
            item = types.SimpleNamespace(
                nodeid=name, runtest=function, config=config)
            plugin.pytest_itemcollected(item)
            item.runtest()
        next(loop, None)

    @classmethod
    def run_workers(cls, plugin, path, workers):
        """The process that starts the workers, each with its own items."""
        config = cls.config(path, None)
        plugin.pytest_configure(config)
        made = config.pluginmanager.get_plugin("ctprof_workers")
        loop = plugin.pytest_runtestloop(types.SimpleNamespace(config=config))
        for number, items in enumerate(workers):
            node = types.SimpleNamespace(
                workerinput={}, workeroutput={},
                gateway=types.SimpleNamespace(id=f"gw{number}"))
            made.pytest_configure_node(node)
            if number == 0:
                next(loop)
            cls.run(plugin, path, items, node)
            made.pytest_testnodedown(node)
        next(loop, None)


class Pytest(support.TestCase):
    def run_tests(self, path):
        """With pytest, or a stand-in."""
        if importlib.util.find_spec("pytest") is not None:
            self.script(TESTS, "test_it.py")
            support.python(
                "-m", "pytest", "-q", "-p", "ctprof.pytest_plugin",
                *([f"--ctprof={path}"] if path else []), cwd=self.work)
            return
        namespace = {}
        exec(TESTS, namespace)
        FakePytest.run(FakePytest.plugin(), path and str(path), {
            f"test_it.py::{name}": namespace[name]
            for name in ("test_one", "test_two")})

    def test_each_test_is_a_range(self):
        log = self.work / "tests.ctp"
        self.run_tests(log)
        functions = {key[2]: function for key, function
                     in support.stats(log).items()}
        self.assertEqual(functions["test_it.py::test_one"].ncalls, 1)
        self.assertEqual(functions["test_it.py::test_two"].ncalls, 1)
        self.assertEqual(functions["test_two"].ncalls, 1)
        for name in "test_one", "test_two":
            self.assertGreaterEqual(functions[f"test_it.py::{name}"].cumtime,
                                    functions[name].cumtime)

    def test_workers_make_one_file(self):
        namespace = {}
        exec(TESTS, namespace)
        for out in "tests.ctp", "tests.pstats":
            FakePytest.run_workers(
                FakePytest.plugin(), str(self.work / out),
                [{"one": namespace["test_one"]},
                 {"one": namespace["test_one"], "two": namespace["test_two"]}])
            self.assertEqual([path.name for path in self.work.iterdir()],
                             [out])
            calls = support.calls(self.work / out)
            self.assertEqual((calls["one"], calls["two"], calls["test_one"]),
                             (2, 1, 2))
            (self.work / out).unlink()

    def test_workers_without_logs_report_why(self):
        plugin = FakePytest.plugin()
        said = []
        with unittest.mock.patch.object(plugin._session, "say", said.append):
            FakePytest.run_workers(plugin, str(self.work / "none" / "it.ctp"),
                                   [{"one": lambda: 0}, {}])
        self.assertRegex(said.pop(), "there is no log .*gw0.*, .*gw1.*; "
                                     ".*cannot create .*gw0.*No such file[^;]*$")
        self.assertEqual(said, [])

    def test_suffix_chooses_the_format(self):
        self.run_tests(self.work / "tests.pstats")
        stats = pstats.Stats(str(self.work / "tests.pstats")).stats
        self.assertIn("test_one", {key[2] for key in stats})
        self.assertEqual(list(self.work.glob("*.ctp")), [])

    @unittest.skipUnless(importlib.util.find_spec("pytest"), "no pytest")
    def test_failing_tests_and_outputs_are_unchanged(self):
        self.script("def test_it():\n    assert 0\n", "test_it.py")
        for out, status, said in (
                ("run.svg", 1,
                 "1 failed[^\n]*\nctprof: .*gprof2dot.*; the log is "),
                ("none/run.ctp", 4, "ERROR: --ctprof: .*No such file")):
            done = support.python(
                "-m", "pytest", "-q", "-p", "ctprof.pytest_plugin",
                f"--ctprof={out}", cwd=self.work, status=status,
                env={"PATH": str(self.work)})
            self.assertRegex(done.stdout + done.stderr, f"(?s){said}")

    def test_without_the_option_nothing_is_recorded(self):
        self.run_tests(None)
        self.assertEqual(list(self.work.glob("*.ctp")), [])


if __name__ == "__main__":
    unittest.main()
