# SPDX-License-Identifier: MIT
"""The tracer: the calls that it sees, their threads, and its handling of events
that do not balance."""

import _thread
import ctypes
import datetime
import gc
import sys
import threading
import types
import unittest

import support

import ctprof
from ctprof import _ctprof


class Traced(support.TestCase):
    """Records functions into a log of the test."""

    def trace(self, function, *args, **options):
        """Calls it under the tracer; returns the log's events in Chrome's
        format."""
        self.log = self.work / "run.ctp"
        _ctprof.record_start(str(self.log))
        self.addCleanup(_ctprof.record_stop)
        _ctprof.trace_start(**{"depth": 0, **options})
        try:
            function(*args)
        finally:
            self.anomalies = _ctprof.trace_stop()
            _ctprof.record_stop()
        self.events = support.chrome(self.log)
        return self.events

    def named(self, name):
        return [event for event in self.events
                if event.get("name") == name and event["ph"] == "X"]

    def check_balance(self):
        self.assertEqual({key: value for key, value in self.anomalies.items()
                          if value != 0}, {})


def leaf():
    pass


class Calls(Traced):
    def test_site_has_function_and_line_of_call(self):
        def caller():
            leaf()

        self.trace(caller)
        place = self.named("leaf")[0]["args"]
        self.assertEqual(place["file"], leaf.__code__.co_filename)
        self.assertEqual(place["line"], leaf.__code__.co_firstlineno)
        self.assertEqual(place["call_line"],
                         caller.__code__.co_firstlineno + 1)
        self.assertEqual(self.named("leaf")[0]["cat"], "python")

    def test_no_c_calls_leaves_only_functions(self):
        for hook in support.HOOKS:
            with self.subTest(hook=hook):
                self.trace(lambda: (len(""), leaf()), c_calls=False,
                           hook=hook)
                names = {e["name"] for e in self.events if e["ph"] == "X"}
                self.assertEqual(names, {"leaf", "<lambda>"})
                self.assertEqual(len(self.named("leaf")), 1)

    @unittest.skipIf(sys.version_info < (3, 12), "needs sys.monitoring")
    def test_all_calls_shows_types_and_wrappers(self):
        import functools
        half = functools.partial(int, "3")

        class Plain:
            pass

        def caller():
            Plain()
            half()
            object.__repr__(half)
            bound = [].append
            types.MethodType(len, "")()
            bound(1)

        self.trace(caller, calls="all")
        names = {e["name"] for e in self.events if e["ph"] == "X"}
        for name in (f"{Plain!r}", "<slot wrapper '__repr__' of 'object' "
                     "objects>", "<slot wrapper '__call__' of "
                     "'functools.partial' objects>",
                     "<class 'method'>", "<built-in method builtins.len>",
                     "<method 'append' of 'list' objects>"):
            self.assertIn(name, names)
        self.check_balance()

    @unittest.skipIf(sys.version_info >= (3, 12), "has sys.monitoring")
    def test_options_of_monitoring_are_refused_without_it(self):
        with self.assertRaisesRegex(ValueError, "3.12"):
            _ctprof.trace_start(calls="all")
        with self.assertRaisesRegex(ValueError, "3.12"):
            _ctprof.trace_start(hook="monitoring")

    def test_options_are_checked(self):
        with self.assertRaisesRegex(ValueError, "'auto'|'monitoring'"):
            _ctprof.trace_start(hook="magic")
        with self.assertRaisesRegex(ValueError, "'builtin' or 'all'"):
            _ctprof.trace_start(calls="some")
        with self.assertRaisesRegex(ValueError, "negative"):
            _ctprof.trace_start(depth=-1)
        with self.assertRaisesRegex(TypeError, "include"):
            _ctprof.trace_start(include=[1])

    def test_a_second_tracer_is_refused(self):
        said = []

        def twice():
            try:
                _ctprof.trace_start()
            except RuntimeError as error:
                said.append(str(error))

        self.trace(twice)
        self.assertEqual(said, ["ctprof is already tracing this process"])
        with self.assertRaisesRegex(RuntimeError, "not tracing"):
            _ctprof.trace_stop()

    def test_exceptions_pass_unchanged(self):
        def fail(depth):
            if depth == 0:
                return {}["missing"]
            return fail(depth - 1)

        def caller():
            try:
                fail(5)
            except KeyError as error:
                self.assertEqual(error.args, ("missing",))
                self.assertIsNone(error.__context__)
            try:
                int("x")
            except ValueError as error:
                self.assertIsNone(error.__context__)

        for hook in support.HOOKS:
            with self.subTest(hook=hook):
                self.trace(caller, hook=hook)
                self.assertEqual(len(self.named("fail")), 6)
                self.check_balance()

    def test_recursion_error_keeps_the_log_whole(self):
        def deep():
            deep()

        def caller():
            try:
                deep()
            except RecursionError:
                leaf()

        for hook in support.HOOKS:
            with self.subTest(hook=hook):
                self.trace(caller, hook=hook)
                self.check_balance()
                self.assertGreater(len(self.named("deep")), 500)
                self.assertEqual(len(self.named("leaf")), 1)

    def test_bound_c_functions_do_not_tear_the_log(self):
        """Several versions report only one half of such a call. The events
        of sys.monitoring balance: PyTorch makes thousands."""
        class Thing:
            show = classmethod(repr)
            __enter__ = classmethod(repr)
            __exit__ = classmethod(gc.get_referents)

        def caller():
            Thing.show()
            Thing.show(*())
            with Thing():
                leaf()

        # From 3.14 on, a `with` calls __enter__ by a usual instruction.
        count = 2 if sys.version_info >= (3, 14) else 1
        for hook in support.HOOKS:
            with self.subTest(hook=hook):
                self.trace(caller, hook=hook)
                self.assertEqual(len(self.named("caller")), 1)
                self.assertEqual(len(self.named("leaf")), 1)
                if hook == "setprofile":
                    continue
                self.check_balance()
                self.assertEqual(
                    len(self.named("<built-in method builtins.repr>")),
                    count)
                self.trace(caller, hook=hook, calls="all")
                self.check_balance()

    def test_names_are_of_the_objects_seen_first(self):
        class Special(list):
            def append(self, value):
                super().append(value)

        self.trace(lambda: [].append(1))
        self.assertEqual(
            len(self.named("<method 'append' of 'list' objects>")), 1)
        self.trace(lambda: Special().append(1))
        self.assertEqual(
            len(self.named("<method 'append' of 'list' objects>")), 0)


class Start(Traced):
    def test_frames_found_at_the_start_are_marked(self):
        def outer():
            inner()

        def inner():
            self.trace(leaf, depth=128)

        outer()
        for name in ("outer", "inner"):
            self.assertEqual(self.named(name)[0]["args"].get("startup"), 1)
        self.assertNotIn("startup", self.named("leaf")[0]["args"])
        self.check_balance()

    def test_depth_limits_them_to_the_innermost(self):
        def outer():
            inner()

        def inner():
            # This function, and trace() itself.
            self.trace(leaf, depth=2)

        outer()
        self.assertEqual(len(self.named("inner")), 1)
        self.assertEqual(len(self.named("outer")), 0)

    def test_returns_of_earlier_calls_are_not_anomalies(self):
        log = str(self.work / "run.ctp")

        def starter():
            def inner():
                _ctprof.trace_start(depth=0)
            inner()

        for hook in support.HOOKS:
            with self.subTest(hook=hook):
                _ctprof.record_start(log)
                starter()
                self.anomalies = _ctprof.trace_stop()
                _ctprof.record_stop()
                self.check_balance()

    def test_a_trace_may_follow_another(self):
        for _ in range(3):
            self.trace(leaf)
            self.assertEqual(len(self.named("leaf")), 1)

    def test_a_trace_stopped_inside_is_closed(self):
        self.log = self.work / "run.ctp"

        def inside():
            _ctprof.trace_stop()

        _ctprof.record_start(str(self.log))
        _ctprof.trace_start(depth=0)
        inside()
        leaf()
        _ctprof.trace_start(depth=0)
        leaf()
        _ctprof.trace_stop()
        _ctprof.record_stop()
        self.events = support.chrome(self.log)
        self.assertEqual(len(self.named("inside")), 1)
        self.assertEqual(len(self.named("leaf")), 1)


class Interpreters(support.TestCase):
    def test_another_interpreter_is_refused(self):
        program = self.script("""
try:
    import _interpreters as interpreters
except ImportError:
    import _xxsubinterpreters as interpreters
one = interpreters.create()
code = (f"import sys; sys.path[:] = {sys.path!r}\\n"
        "try:\\n    import ctprof\\n"
        "except ImportError as error: print('refused:', error)")
failed = getattr(interpreters, "exec", interpreters.run_string)(one, code)
assert not failed, failed
interpreters.destroy(one)
""".replace("one = ", "import sys\none = ", 1))
        said = support.python(program).stdout
        self.assertRegex(said, "^refused: .*(subinterpreters|ctprof)")


class Shown(support.TestCase):
    def test_repairs_are_reported(self):
        program = self.script("import sys\nsys.setprofile(None)\n")
        for hook, words in (
                ("setprofile", "1 times that the program set a profile"),
                ("auto" if sys.version_info >= (3, 12) else None, None)):
            if hook is None or (hook == "setprofile" and
                                hook not in support.HOOKS):
                continue
            with self.subTest(hook=hook):
                done = support.python(
                    "-W", "ignore", "-m", "ctprof", "--force", f"--hook={hook}",
                    "-o", self.work / "run.ctp", program)
                if words is None:
                    self.assertNotIn("corrected", done.stderr)
                else:
                    self.assertIn(words, done.stderr)


class Selection(Traced):
    def select(self, **options):
        def caller():
            leaf()
            types.prepare_class("X")
            len("")

        self.trace(caller, **options)
        self.check_balance()
        return {e["name"] for e in self.events if e["ph"] == "X"} & {
            "leaf", "caller", "prepare_class",
            "<built-in method builtins.len>"}

    def test_a_module_is_left_out(self):
        self.assertEqual(self.select(exclude=["types"]),
                         {"leaf", "caller", "<built-in method builtins.len>"})

    def test_a_module_of_c_is_left_out(self):
        self.assertEqual(self.select(exclude="builtins"),
                         {"leaf", "caller", "prepare_class"})

    def test_a_class_method_of_c_is_of_its_types_module(self):
        def caller():
            datetime.date.fromordinal(1)

        for exclude in "datetime", "builtins":
            self.trace(caller, exclude=exclude)
            self.assertEqual(len(self.named("<built-in method fromordinal>")),
                             exclude == "builtins")

    def test_only_a_file(self):
        self.assertEqual(self.select(include=["*/test_tracer.py"]),
                         {"leaf", "caller"})
        self.assertEqual(self.select(include=["types.py"]),
                         {"prepare_class"})

    def test_module_with_the_same_prefix_is_not_matched(self):
        self.assertEqual(self.select(include=["test"]), set())

    def test_the_profiler_is_not_seen(self):
        def caller():
            with ctprof.range("r"):
                leaf()
            ctprof.instant("i")
            _ctprof.status()

        self.trace(caller)
        names = {e["name"] for e in self.events if e["ph"] == "X"}
        self.assertEqual(names, {"caller", "r", "leaf"})
        self.check_balance()

    def test_a_range_nests_with_the_calls(self):
        def caller():
            with ctprof.range("r"):
                leaf()

        self.trace(caller)
        rows = {e["name"]: (e["ts"], e["ts"] + e["dur"])
                for e in self.events if e["ph"] == "X"}
        self.assertLessEqual(rows["caller"][0], rows["r"][0])
        self.assertLessEqual(rows["r"][0], rows["leaf"][0])
        self.assertGreaterEqual(rows["r"][1], rows["leaf"][1])
        self.assertGreaterEqual(rows["caller"][1], rows["r"][1])




class Threads(Traced):
    def all_kinds(self):
        """A function for each kind of thread; each calls one 10 times."""
        def raw():
            for _ in range(10):
                leaf()
            done.release()

        def new():
            for _ in range(10):
                leaf()

        foreign = ctypes.CFUNCTYPE(None)(new)
        identity = ctypes.c_ulong()
        pthread = ctypes.CDLL(None)
        done = _thread.allocate_lock()
        new()
        self.go.set()
        self.old.join()
        thread = threading.Thread(target=new, name="newcomer")
        thread.start()
        thread.join()
        done.acquire()
        _thread.start_new_thread(raw, ())
        done.acquire()
        for _ in range(2):
            pthread.pthread_create(ctypes.byref(identity), None, foreign,
                                   None)
            pthread.pthread_join(identity, None)

    def check_all_threads(self, hook):
        self.go = threading.Event()

        def wait():
            self.go.wait()
            for _ in range(10):
                leaf()

        self.old = threading.Thread(target=wait, name="veteran",
                                    daemon=True)
        self.old.start()
        self.trace(self.all_kinds, hook=hook)
        per_thread = {}
        for event in self.named("leaf"):
            tid = event["tid"]
            per_thread[tid] = per_thread.get(tid, 0) + 1
        self.assertEqual(sorted(per_thread.values()), [10] * 6)
        self.check_balance()
        return {e["args"]["name"] for e in self.events
                if e["name"] == "thread_name"}

    def test_calls_of_all_kinds_of_thread(self):
        for hook in support.HOOKS:
            with self.subTest(hook=hook):
                names = self.check_all_threads(hook)
                self.assertLessEqual({"veteran", "newcomer", "MainThread"},
                                     names)

    def test_a_new_name_is_seen(self):
        def renamed():
            threading.current_thread().name = "later"
            leaf()

        def caller():
            thread = threading.Thread(target=renamed, name="before")
            thread.start()
            thread.join()

        self.trace(caller)
        self.assertIn("later", {e["args"]["name"] for e in self.events
                                if e["name"] == "thread_name"})

    def test_stop_in_another_thread(self):
        self.log = self.work / "run.ctp"

        def stop():
            _ctprof.trace_stop()

        def caller():
            thread = threading.Thread(target=stop)
            thread.start()
            thread.join()

        for hook in support.HOOKS:
            with self.subTest(hook=hook):
                _ctprof.record_start(str(self.log))
                _ctprof.trace_start(depth=0, hook=hook)
                caller()
                leaf()
                _ctprof.trace_start(depth=0, hook=hook)
                leaf()
                _ctprof.trace_stop()
                _ctprof.record_stop()
                self.events = support.chrome(self.log)
                self.assertEqual(len(self.named("leaf")), 1)
                self.assertEqual(len(self.named("caller")), 1)


if __name__ == "__main__":
    unittest.main()
