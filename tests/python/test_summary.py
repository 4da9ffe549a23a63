# SPDX-License-Identifier: MIT
"""Summaries as bytes: those of the program, in any order and grouping."""

import concurrent.futures
import functools
import itertools
import json
import os
import random
import subprocess
import unittest
import unittest.mock
import warnings

import support

import ctprof
from ctprof import _program

RANKS = 5


class Summary(support.TestCase):
    def setUp(self):
        super().setUp()
        self.traces = self.work / "traces"
        self.paths = [self.trace(rank) for rank in range(RANKS)]

    def trace(self, rank):
        events = [{"ph": "X", "name": f"f{number % 7}", "pid": 1, "tid": 1,
                   "ts": 10 * number, "dur": 5 + (rank + number) % 4}
                  for number in range(20 + 10 * rank)]
        return self.script(json.dumps({"distributedInfo": {"rank": rank},
                                       "traceEvents": events}),
                           f"traces/rank{rank}.json")

    def program(self, *arguments, status=0, **options):
        """The bytes that the program writes."""
        done = subprocess.run([support.CTPROF, *map(os.fsdecode, arguments)],
                              capture_output=True, timeout=support.LIMIT_S,
                              check=False, **options)
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stdout

    def lost(self, paths, **options):
        """The summary of inputs some of which are lost, and the warning."""
        with self.assertWarns(RuntimeWarning) as caught:
            summary = ctprof.summarize(paths, **options)
        self.assertEqual(caught.filename, __file__)
        return summary, str(caught.warning)


class Summarize(Summary):
    def test_bytes_are_those_of_the_program(self):
        serial = self.program("summarize", *self.paths)
        for paths in (self.paths, map(str, self.paths),
                      [os.fsencode(path) for path in self.paths],
                      reversed(self.paths)):
            self.assertEqual(ctprof.summarize(paths), serial)
        self.assertEqual(ctprof.summarize(self.paths, jobs=2), serial)
        self.assertEqual(ctprof.summarize(self.traces),
                         self.program("summarize", self.traces))
        self.assertEqual(ctprof.summarize(str(self.paths[0])),
                         self.program("summarize", self.paths[0]))

    def test_options_are_those_of_the_program(self):
        for options, words in (
                ({"call_paths": True}, ["--paths"]),
                ({"names": "short", "trim_prefix": True},
                 ["--names=short", "--trim-prefix"]),
                ({"device": "host", "edge_times": "all", "join": "external"},
                 ["--device=host", "--edge-times=all", "--join=external"])):
            summary = ctprof.summarize(self.paths, **options)
            self.assertEqual(
                summary, self.program("summarize", *words, *self.paths))
            self.assertNotEqual(summary, ctprof.summarize(self.paths))
        with self.assertRaisesRegex(ValueError, "'none' is not one of"):
            ctprof.summarize(self.paths, names="none")
        with self.assertRaisesRegex(ValueError, "'3/2' is not a part"):
            ctprof.summarize(self.paths, shard=(3, 2))

    def test_shards_add_up(self):
        for count in (1, 3, RANKS + 2):
            shards = [ctprof.summarize(self.traces, shard=(index, count))
                      for index in range(count)]
            self.assertEqual(ctprof.merge_summaries(*shards),
                             ctprof.summarize(self.traces))

    def test_no_inputs_are_the_neutral_element(self):
        for options in ({}, {"call_paths": True}):
            some = ctprof.summarize(self.paths, **options)
            none = ctprof.summarize([], **options)
            self.assertEqual(ctprof.merge_summaries(none, some), some)
            self.assertEqual(ctprof.merge_summaries(some, none), some)
            self.assertEqual(ctprof.merge_summaries(none, none), none)

    def test_lost_inputs_are_listed_in_a_warning(self):
        garbage = self.script("garbage", "garbage.json")
        missing = self.work / "missing.json"
        summary, message = self.lost([garbage, self.paths[0], missing])
        self.assertEqual(summary, self.program(
            "summarize", garbage, self.paths[0], missing, status=3))
        self.assertIn(f"{garbage}: unknown format", message)
        self.assertIn(f"{missing}: cannot open: No such file", message)
        self.assertIn("the sum lacks 2 inputs", message)
        self.assertNotIn("ctprof: ", message)
        # The summary has them, so that merging is silent.
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            both = ctprof.merge_summaries(
                summary, ctprof.summarize(self.paths[1:]))
        log = self.work / "both.ctpart"
        log.write_bytes(both)
        self.assertIn("lost inputs", support.ctprof("info", log).stdout)

    def test_lost_inputs_below_a_directory_are_listed(self):
        garbage = self.script("garbage", "traces/garbage.ctp")
        summary, message = self.lost(self.traces)
        self.assertIn(f"{garbage}: unknown format", message)
        self.assertEqual(
            summary, self.program("summarize", self.traces, status=3))

    def test_damaged_inputs_are_named_in_a_warning(self):
        text = self.paths[0].read_text()
        cut = self.script(text[:len(text) // 2], "cut.json")
        _, message = self.lost(cut)
        self.assertIn(f"{cut}: ", message)
        self.assertIn("cut off", message)

    def test_inputs_that_do_not_go_together_are_refused(self):
        with self.assertRaisesRegex(ValueError, "rank0.json is there twice"):
            ctprof.summarize([self.paths[0], self.paths[0]])
        ctprof.summarize([self.paths[0], self.paths[0]], allow_repeats=True)

    def test_any_name_of_a_file_is_taken(self):
        text = self.paths[0].read_text()
        for name in ("-", "--help", "line\nbreak", "space and ü", "\udcff"):
            path = self.script(text, name)
            self.assertEqual(
                ctprof.summarize(path),
                self.program("summarize", "--", path))
        here = os.getcwd()
        self.addCleanup(os.chdir, here)
        os.chdir(self.work)
        self.assertEqual(ctprof.summarize("-"),
                         self.program("summarize", "./-", cwd=self.work))
        for name in ("", "a\0b"):
            with self.assertRaisesRegex(ValueError, "not the name of a file"):
                ctprof.summarize([name])

    def test_missing_program_is_an_error(self):
        nowhere = {"CTPROF": str(self.work / "ctprof"), "PATH": ""}
        with unittest.mock.patch.dict(os.environ, nowhere), \
                unittest.mock.patch.object(_program, "_PLACES", ()):
            with self.assertRaisesRegex(RuntimeError, "set CTPROF to its path"):
                ctprof.summarize(self.paths)
            with self.assertRaisesRegex(RuntimeError, "set CTPROF to its path"):
                ctprof.merge_summaries(b"")

    def test_killed_program_is_an_error(self):
        killed = self.script("#!/bin/sh\nkill -9 $$\n", "ctprof")
        killed.chmod(0o755)
        with unittest.mock.patch.dict(os.environ, {"CTPROF": str(killed)}):
            with self.assertRaisesRegex(RuntimeError, "status -9"):
                ctprof.summarize(self.paths)


class Merge(Summary):
    def setUp(self):
        super().setUp()
        self.parts = [ctprof.summarize(path) for path in self.paths]
        self.serial = ctprof.summarize(self.paths)

    def test_order_and_grouping_change_nothing(self):
        merge = ctprof.merge_summaries
        first, second, third = self.parts[:3]
        wanted = merge(first, second, third)
        self.assertEqual(merge(second, first), merge(first, second))
        self.assertEqual(merge(merge(first, second), third), wanted)
        self.assertEqual(merge(first, merge(second, third)), wanted)
        self.assertEqual(functools.reduce(merge, self.parts), self.serial)
        self.assertEqual(merge(*self.parts), self.serial)
        self.assertEqual(merge(self.serial), self.serial)
        self.assertEqual(self.serial,
                         self.program("summarize", *self.paths))

    def test_random_trees_give_one_summary(self):
        chance = random.Random(1)
        for _ in range(5):
            parts = list(self.parts)
            while len(parts) > 1:
                chance.shuffle(parts)
                taken = chance.randint(2, len(parts))
                parts[:taken] = [ctprof.merge_summaries(*parts[:taken])]
            self.assertEqual(parts[0], self.serial)

    def test_threads_merge_at_once(self):
        pairs = list(itertools.combinations(self.parts, 2))
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            merged = list(pool.map(
                lambda pair: ctprof.merge_summaries(*pair), pairs))
        self.assertEqual(merged,
                         [ctprof.merge_summaries(*pair) for pair in pairs])

    def test_bytes_of_any_type_are_taken(self):
        first, second = self.parts[:2]
        self.assertEqual(
            ctprof.merge_summaries(bytearray(first), memoryview(second)),
            ctprof.merge_summaries(first, second))
        with self.assertRaises(TypeError):
            ctprof.merge_summaries(first, "text")

    def test_summaries_that_do_not_go_together_are_refused(self):
        first, second = self.parts[:2]
        with self.assertRaisesRegex(ValueError, "rank 0 is there twice"):
            ctprof.merge_summaries(first, first)
        ctprof.merge_summaries(first, first, allow_repeats=True)
        short = ctprof.summarize(self.paths[1], names="short")
        with self.assertRaisesRegex(ValueError, "names.*full.*short"):
            ctprof.merge_summaries(first, short)
        for bad in (second[:-100], b"", b"text", self.paths[0].read_bytes()):
            with self.assertRaisesRegex(ValueError, "summary 2: "):
                ctprof.merge_summaries(first, bad)


if __name__ == "__main__":
    unittest.main()
