# SPDX-License-Identifier: MIT
"""ctprof.Profile beside cProfile.Profile."""

import contextlib
import cProfile
import gc
import io
import itertools
import os
import pstats
import tempfile
import threading
import unittest

import ctprof
import support


def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


def even(n):
    return n == 0 or odd(n - 1)


def odd(n):
    return n != 0 and even(n - 1)


def generate(n):
    for i in range(n):
        yield str(i)


def fail():
    raise KeyError("x")


def work():
    """Recursion, calls from C, generators, exceptions; and its result."""
    found = []
    for text in generate(4):
        found.append(len(text))
    found.sort(key=lambda x: -x)
    with contextlib.suppress(KeyError):
        fail()
    list(map(odd, range(4)))
    return fib(6), found


def exact(stats, second):
    """The figures as integers, without the profilers' own rows."""
    def times(*floats):
        return tuple(round(x * second) for x in floats)

    rows = {}
    for (file, line, name), row in stats.items():
        if "_lsprof" in name or os.path.basename(file) == "cProfile.py":
            continue
        pcalls, ncalls, tottime, cumtime, callers = row
        rows[file, line, support.plain(name)] = (
            pcalls, ncalls, *times(tottime, cumtime),
            {(file, line, support.plain(name)): (*edge[:2], *times(*edge[2:]))
             for (file, line, name), edge in callers.items()})
    return rows


class ProfileTestCase(support.TestCase):
    """Tests with the clock of events, which is cProfile's timer here."""

    def setUp(self):
        super().setUp()
        for name in "CTPROF_OUT", "CTPROF_CLOCK":
            before = os.environ.pop(name, None)
            if before is not None:
                self.addCleanup(os.environ.__setitem__, name, before)
            else:
                self.addCleanup(os.environ.pop, name, None)
        os.environ["CTPROF_CLOCK"] = "events"

    def pair(self):
        """cProfile's, and ours."""
        timer = itertools.count().__next__
        return cProfile.Profile(timer, 1.0), ctprof.Profile()

    def compare(self, function):
        """`function` profiles something with the given arguments."""
        work()  # fills caches for both
        theirs, ours = self.pair()
        function(theirs)
        function(ours)
        theirs.create_stats()
        ours.create_stats()
        wanted = exact(theirs.stats, 1)
        self.assertEqual(exact(ours.stats, 1e9), wanted)
        return wanted


class Same(ProfileTestCase):
    def test_runcall_is_cprofiles(self):
        rows = self.compare(lambda profile: profile.runcall(work))
        names = {name: row for (_, _, name), row in rows.items()}
        self.assertEqual(names["fib"][:2], (1, 25))
        self.assertEqual(names["work"][4], {})

    def test_runctx_is_cprofiles(self):
        rows = self.compare(lambda profile: self.assertIs(
            profile.runctx("x = work(); y = x[0]", globals(), {}), profile))
        self.assertIn(("~", 0, "<built-in method builtins.exec>"), rows)

    def test_with_is_cprofiles(self):
        def use(profile):
            with profile as inner:
                work()
            self.assertIs(inner, profile)

        self.compare(use)

    def test_enable_and_disable_are_cprofiles(self):
        def use(profile):
            profile.enable()
            work()
            profile.disable()
            work()

        self.compare(use)

    def test_several_periods_add_up(self):
        def use(profile):
            for n in range(3):
                profile.runcall(fib, n)
                fib(n)
                profile.runcall(work)

        rows = self.compare(use)
        self.assertEqual(rows[__file__, work.__code__.co_firstlineno,
                              "work"][1], 3)

    def test_enabled_inside_and_disabled_outside(self):
        def begin(profile):
            fib(2)
            profile.enable()
            fib(3)

        def use(profile):
            begin(profile)
            fib(4)
            profile.disable()

        self.compare(use)

    def test_disabled_inside_ends_what_is_open(self):
        def end(profile):
            fib(3)
            profile.disable()

        theirs, ours = self.pair()
        for profile in theirs, ours:
            profile.enable()
            end(profile)
            fib(4)
            profile.create_stats()
        wanted = exact(theirs.stats, 1)
        found = exact(ours.stats, 1e9)
        key = (__file__, end.__code__.co_firstlineno, "end")
        # cProfile's disable() is a call itself; it takes two events.
        wanted[key] = (1, 1, wanted[key][2] - 1, wanted[key][3] - 2, {})
        self.assertEqual(found, wanted)

    def options(self, **options):
        def use(profile):
            profile.enable(**options)
            work()
            profile.disable()

        rows = self.compare(use)
        # cProfile of 3.14 forgets its constructor's arguments.
        ours = ctprof.Profile(**options)
        ours.runcall(work)
        ours.create_stats()
        self.assertEqual(exact(ours.stats, 1e9), rows)
        return rows

    def test_without_builtins(self):
        rows = self.options(builtins=False)
        self.assertTrue(rows)
        self.assertFalse([key for key in rows if key[0] == "~"])

    def test_children_that_exit_at_once_leave_nothing(self):
        before = os.environ.get("CTPROF_SPOOL")
        os.environ["CTPROF_SPOOL"] = str(self.work)
        try:
            with ctprof.Profile() as profile:
                fib(3)
                child = os.fork()
                if child == 0:
                    fib(4)
                    os._exit(0)
                os.waitpid(child, 0)
        finally:
            if before is None:
                del os.environ["CTPROF_SPOOL"]
            else:
                os.environ["CTPROF_SPOOL"] = before
        self.assertTrue(profile.stats or profile.getstats())
        self.assertEqual(list(self.work.iterdir()), [])

    def test_without_subcalls(self):
        rows = self.options(subcalls=False)
        self.assertTrue(rows)
        self.assertFalse([row for row in rows.values() if row[4]])

    def test_entries_are_cprofiles(self):
        def rows(profile, second):
            return {
                cProfile.label(entry.code): (
                    entry.callcount, entry.reccallcount,
                    round(entry.totaltime * second),
                    round(entry.inlinetime * second),
                    sorted((cProfile.label(call.code), call.callcount,
                            call.reccallcount,
                            round(call.totaltime * second),
                            round(call.inlinetime * second))
                           for call in entry.calls or ()))
                for entry in profile.getstats()
                if "_lsprof" not in str(entry.code)}

        theirs, ours = self.pair()
        for profile in theirs, ours:
            profile.runcall(work)
        wanted = rows(theirs, 1)
        self.assertEqual(rows(ours, 1e9), wanted)
        self.assertTrue(wanted)

    def test_exception_goes_through(self):
        def use(profile):
            with self.assertRaises(KeyError):
                profile.runcall(fail)
            with self.assertRaises(KeyError):
                profile.runctx("fail()", globals(), {})
            with self.assertRaises(KeyError), profile:
                fail()

        def names(profile):
            profile.create_stats()
            return {name: row[:2] for (_, _, name), row
                    in exact(profile.stats, 1).items()
                    if name in ("fail", "<module>")}

        theirs, ours = self.pair()
        use(theirs)
        use(ours)
        self.assertEqual(names(ours), names(theirs))
        self.assertEqual(names(ours)["fail"], (3, 3))


class Reports(ProfileTestCase):
    def test_run_is_in_main(self):
        program = self.script("""
import ctprof
def hello(): return sum(map(len, "abc"))
profile = ctprof.Profile().run("hello()")
profile.print_stats("ncalls")
""")
        text = support.python(program).stdout
        self.assertIn("Ordered by: call count", text)
        self.assertRegex(text, r"1 .*program\.py:3\(hello\)")

    def test_statements_are_profiled_as_by_cprofile(self):
        log = self.work / "profile"
        for profiler in cProfile, ctprof:
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                profiler.runctx("len(text); raise SystemExit", {"text": ""},
                                {}, sort="calls")
            self.assertIn("Ordered by: call count", out.getvalue())
            self.assertIn("{built-in method builtins.len}", out.getvalue())
            profiler.run("len(''); len('')", str(log))
            self.assertEqual(pstats.Stats(str(log)).stats[
                "~", 0, "<built-in method builtins.len>"][:2], (2, 2))
        with self.assertRaises(ZeroDivisionError):
            ctprof.run("1 / 0", log)
        self.assertIn(("<string>", 1, "<module>"),
                      pstats.Stats(str(log)).stats)

    def test_print_takes_several_keys(self):
        profile = ctprof.Profile()
        profile.runcall(work)
        with contextlib.redirect_stdout(io.StringIO()) as out:
            profile.print_stats(("ncalls", "name"))
        self.assertIn("Ordered by: call count, function name",
                      out.getvalue())
        self.assertIn("(fib)", out.getvalue())

    def test_empty_profile_is_printed(self):
        with contextlib.redirect_stdout(io.StringIO()) as out:
            ctprof.Profile().print_stats()
        self.assertIn("0 function calls", out.getvalue())

    def test_file_is_read_by_pstats(self):
        profile = ctprof.Profile()
        profile.runcall(work)
        profile.dump_stats(self.work / "x.prof")
        read = pstats.Stats(str(self.work / "x.prof"))
        self.assertEqual(read.stats, profile.stats)
        self.assertTrue(read.stats)

    def test_pstats_takes_the_profile(self):
        profile = ctprof.Profile()
        profile.enable()
        work()
        stats = pstats.Stats(profile)
        self.assertIn("fib", {name for _, _, name in stats.stats})
        profile.create_stats()
        self.assertEqual(profile.stats, stats.stats)

    def test_profiling_continues_after_a_snapshot(self):
        profile = ctprof.Profile()
        key = (__file__, fib.__code__.co_firstlineno, "fib")
        with profile:
            fib(1)
            profile.snapshot_stats()
            first = profile.stats[key]
            fib(1)
        profile.create_stats()
        self.assertEqual((first[1], profile.stats[key][1]), (1, 2))

    def test_clear_forgets(self):
        profile = ctprof.Profile()
        profile.runcall(work)
        profile.clear()
        profile.create_stats()
        self.assertEqual(profile.stats, {})

    def test_threads_have_stacks_of_their_own(self):
        def thread():
            for _ in range(50):
                fib(4)

        profile = ctprof.Profile()
        with profile:
            threads = [threading.Thread(target=thread) for _ in range(3)]
            for one in threads:
                one.start()
            for one in threads:
                one.join()
        profile.create_stats()
        row = profile.stats[__file__, fib.__code__.co_firstlineno, "fib"]
        self.assertEqual(row[:2], (150, 150 * 9))
        own = (__file__, thread.__code__.co_firstlineno, "thread")
        self.assertEqual(set(row[4]), {own, (
            __file__, fib.__code__.co_firstlineno, "fib")})
        self.assertEqual(row[4][own][:2], (150, 150))


FORKING = """
import os, tempfile
import ctprof

def early(): pass
def late(): pass

def count(name):
    profile.create_stats()
    return sum(row[1] for key, row in profile.stats.items() if key[2] == name)

tempfile.tempdir = os.getcwd()
profile = ctprof.Profile()
profile.enable()
early()
if os.fork() == 0:
    late()
    os._exit((count("early"), count("late")) != (0, 1))
_, status = os.wait()
assert status == 0, status
assert (count("early"), count("late")) == (1, 0)
assert os.listdir() == [], os.listdir()
profile.enable()
if os.fork() == 0:
    os._exit(0)
os.wait()
assert os.listdir() != []
"""


class Processes(ProfileTestCase):
    def test_forked_child_has_only_its_own_calls(self):
        # Its recorder is one more thread, and 3.12 and later warn of forks
        # beside threads.
        support.python("-W", "ignore", "-c", FORKING, cwd=self.work)
        # A process that ends while it is enabled leaves nothing behind either.
        self.assertEqual(os.listdir(self.work), [])


class Refusals(ProfileTestCase):
    def test_timer_is_refused(self):
        with self.assertRaisesRegex(ValueError, "CTPROF_CLOCK"):
            ctprof.Profile(itertools.count().__next__)

    def test_second_profile_is_refused(self):
        first, second = ctprof.Profile(), ctprof.Profile()
        with first:
            with self.assertRaisesRegex(RuntimeError, "recording to"):
                second.enable()
            fib(3)
        second.runcall(fib, 3)
        first.create_stats()
        self.assertTrue(first.stats)

    def test_enabling_twice_is_once(self):
        profile = ctprof.Profile()
        profile.enable()
        profile.enable()
        fib(1)
        profile.disable()
        profile.disable()
        profile.create_stats()
        self.assertEqual(profile.stats[
            __file__, fib.__code__.co_firstlineno, "fib"][1], 1)

    def test_recording_and_profiling_exclude_each_other(self):
        log = self.work / "run.ctp"
        ctprof.start(log)
        try:
            with self.assertRaisesRegex(RuntimeError, "run.ctp"):
                ctprof.Profile().enable()
            with self.assertRaisesRegex(RuntimeError, "run.ctp"):
                ctprof.start()
            fib(3)
        finally:
            ctprof.stop()
        self.assertEqual(support.calls(log)["fib"], 5)
        with ctprof.Profile():
            with self.assertRaises(RuntimeError):
                ctprof.start(self.work / "other.ctp")
        self.assertEqual(os.listdir(self.work), ["run.ctp"])

    def test_unreferenced_profile_is_disabled(self):
        profile = ctprof.Profile()
        profile.enable()
        del profile
        loop = [ctprof.Profile()]
        loop.append(loop)
        loop[0].enable()
        del loop
        gc.collect()
        profile = ctprof.Profile()
        profile.runcall(work)
        profile.create_stats()
        self.assertIn("fib", [name for _, _, name in profile.stats])

    def test_nothing_is_left_behind(self):
        # A name with parts that the recorder would replace.
        directory = self.work / "100%p %%"
        directory.mkdir()
        before, tempfile.tempdir = tempfile.tempdir, str(directory)
        self.addCleanup(setattr, tempfile, "tempdir", before)
        profile = ctprof.Profile()
        with profile:
            self.assertEqual(len(os.listdir(directory)), 1)
            fib(3)
        self.assertEqual(os.listdir(directory), [])
        profile.create_stats()
        self.assertTrue(profile.stats)

    def test_no_room_for_the_log_is_an_error(self):
        before, tempfile.tempdir = tempfile.tempdir, str(self.work / "none")
        self.addCleanup(setattr, tempfile, "tempdir", before)
        profile = ctprof.Profile()
        with self.assertRaises(OSError):
            profile.enable()
        tempfile.tempdir = before
        profile.runcall(fib, 3)
        profile.create_stats()
        self.assertTrue(profile.stats)


if __name__ == "__main__":
    unittest.main()
