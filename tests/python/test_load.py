# SPDX-License-Identifier: MIT
"""ctprof.load() and the converter under it."""

import csv
import gc
import io
import json
import marshal
import os
import pathlib
import pstats
import shutil
import tracemalloc
import unittest
import unittest.mock
import warnings

import ctprof
import support
from ctprof._convert import convert

try:
    import pandas
except ImportError:
    pandas = None
try:
    import pyarrow
except ImportError:
    pyarrow = None

PROGRAM = """
def leaf(n):
    return len(str(n))

def middle(n):
    return leaf(n) + (middle(n - 1) if n else 0)

sorted([middle(3), leaf(1)], key=leaf)
"""


class LogTestCase(support.TestCase):
    def setUp(self):
        super().setUp()
        self.log = self.work / "run.ctp"
        support.python("-m", "ctprof", "-o", self.log, self.script(PROGRAM),
                       env={"CTPROF_CLOCK": "events"})


class Load(LogTestCase):
    def converted(self, *options):
        path = self.work / "run.pstats"
        support.ctprof("convert", "-q", "--force", "-t", "pstats", *options,
                       "-o", path, self.log)
        return marshal.loads(path.read_bytes())

    def test_load_equals_the_programs_conversion(self):
        stats = ctprof.load(self.log)
        self.assertEqual(stats.stats, self.converted())
        self.assertEqual(stats.total_calls,
                         sum(row[1] for row in stats.stats.values()))

    def test_root_has_no_caller(self):
        names = {name for _, _, name in ctprof.load(self.log).stats}
        self.assertIn("middle", names)
        self.assertNotIn("<all threads>", names)

    def test_options_equal_the_programs(self):
        self.assertEqual(
            ctprof.load(self.log, edge_times="all").stats,
            self.converted("--edge-times=all"))
        self.assertEqual(
            ctprof.load(self.log, edge_times="primitive").stats,
            self.converted("--edge-times=primitive"))
        self.assertEqual(
            ctprof.load(self.log, trim_prefix=True).stats,
            self.converted("--trim-prefix"))
        self.assertNotEqual(
            ctprof.load(self.log, edge_times="all").stats,
            ctprof.load(self.log).stats)
        self.assertRaises(ValueError, ctprof.load, self.log, edge_times="some")

    def test_older_name_of_an_option_works(self):
        self.assertEqual(
            ctprof.load(self.log, document_edges=True).stats,
            self.converted("--document-edges"))
        self.assertEqual(
            ctprof.load(self.log, document_edges=True).stats,
            ctprof.load(self.log, edge_times="all").stats)

    def test_path_may_be_of_any_kind(self):
        whole = ctprof.load(self.log).stats
        for path in os.fspath(self.log), os.fsencode(self.log):
            stats = ctprof.load(path)
            self.assertEqual(stats.stats, whole)
            self.assertEqual(stats.files, [os.fspath(self.log)])

    def test_missing_log_is_an_os_error(self):
        missing = self.work / "no.ctp"
        with self.assertRaises(FileNotFoundError) as raised:
            ctprof.load(missing)
        self.assertEqual(raised.exception.filename, missing)

    def test_directory_is_all_timelines_below_it(self):
        one = ctprof.load(self.log)
        directory = self.work / "ranks"
        (directory / "b").mkdir(parents=True)
        shutil.copy(self.log, directory / "a.ctp")
        shutil.copy(self.log, directory / "b" / "b.ctp")
        (directory / "readme.txt").write_text("hello")
        with self.assertWarnsRegex(RuntimeWarning, "readme.txt: .*format"):
            both = ctprof.load(directory)
        self.assertEqual(both.files, [str(directory)])
        self.assertEqual(both.total_calls, 2 * one.total_calls)
        self.assertEqual(sum(1 for _ in both.events()),
                         2 * sum(1 for _ in one.events()))
        self.assertEqual(
            {row.name: row.ncalls for row in both.functions()},
            {row.name: 2 * row.ncalls for row in one.functions()})
        temporary = pathlib.Path(both._joined.name)
        self.assertTrue(temporary.exists())
        del both
        gc.collect()
        self.assertFalse(temporary.exists())

    def test_directory_without_timelines_is_an_error(self):
        empty = self.work / "empty"
        empty.mkdir()
        with self.assertRaisesRegex(ValueError, "empty: no timeline"):
            ctprof.load(empty)

    def test_a_file_that_is_not_a_log_is_refused(self):
        for content, words in ((b"", "is empty"),
                               (b"nonsense", "unknown format"),
                               (b"{\"schema\":\"other\"}", "traceEvents")):
            path = self.work / "other"
            path.write_bytes(content)
            with self.subTest(content), self.assertRaisesRegex(
                    ValueError, f"^{path}: .*{words}"):
                ctprof.load(path)

    def test_cut_log_is_loaded_with_a_warning(self):
        bytes_ = self.log.read_bytes()
        self.log.write_bytes(bytes_[:-20])
        with self.assertWarnsRegex(RuntimeWarning, "its end is missing"):
            stats = ctprof.load(self.log)
        self.assertIn("middle", {name for _, _, name in stats.stats})

    def test_whole_log_is_loaded_without_a_warning(self):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            ctprof.load(self.log)


class Events(LogTestCase):
    TRACE = {"traceEvents": [
        {"ph": "X", "name": "f", "cat": "c", "ts": 1, "dur": 5, "pid": 1,
         "tid": 2, "args": {"a": [1, {"b": None}], "t": "\u00e9"}},
        {"ph": "X", "name": "g", "ts": 2, "dur": 1, "pid": 1, "tid": 2},
        {"ph": "i", "name": "i", "ts": 3, "pid": 1, "tid": 2, "s": "t"},
        {"ph": "C", "name": "n", "ts": 4, "pid": 1, "args": {"v": 2.5}},
        {"ph": "M", "name": "thread_name", "pid": 1, "tid": 2,
         "args": {"name": "main"}}]}

    def trace(self, document=None):
        path = self.work / "trace.json"
        path.write_text(json.dumps(document or self.TRACE))
        return path

    def test_events_are_the_lines_of_the_programs_csv(self):
        for path in self.log, self.trace():
            said = support.ctprof("convert", "-q", "-t", "csv", path, "-o", "-")
            lines = list(csv.DictReader(io.StringIO(said.stdout)))
            events = list(ctprof.load(path).events())
            self.assertEqual(len(events), len(lines))
            for event, line in zip(events, lines):
                line["thread"] = line.pop("track")
                args = line.pop("args")
                self.assertEqual(
                    event.args, json.loads(args) if args else None)
                self.assertEqual(
                    {name: "" if value is None else str(value)
                     for name, value in event._asdict().items()
                     if name != "args"}, line)

    def test_sums_equal_those_of_another_reader(self):
        begins = {}
        for event in ctprof.load(self.log).events():
            begins.setdefault(event.tid, []).append(
                (event.start_ns, event.start_ns + event.duration_ns,
                 support.plain(event.name)))
        ranges = support.ranges(self.log)
        first = min(row[0] for rows in ranges.values() for row in rows)
        mine = min(row[0] for rows in begins.values() for row in rows)
        for tid, rows in begins.items():
            self.assertEqual(
                sorted((begin - mine, end - mine, name)
                       for begin, end, name in rows),
                sorted((begin - first, end - first, name)
                       for begin, end, name in ranges[tid]))

    def test_depth_and_parent_are_those_of_the_nesting(self):
        events = {event.number: event
                  for event in ctprof.load(self.log).events()}
        self.assertGreater(max(event.depth for event in events.values()), 3)
        for event in events.values():
            if event.parent is None:
                self.assertEqual(event.depth, 0)
                continue
            around = events[event.parent]
            self.assertEqual(event.depth, around.depth + 1)
            self.assertGreaterEqual(event.start_ns, around.start_ns)
            self.assertLessEqual(event.start_ns + event.duration_ns,
                                 around.start_ns + around.duration_ns)

    def test_other_formats_have_events_with_arguments(self):
        first, = [event for event in ctprof.load(self.trace()).events()
                  if event.name == "f"]
        self.assertEqual(
            (first.category, first.duration_ns, first.self_ns, first.thread),
            ("c", 5000, 4000, "main"))
        self.assertEqual(first.args, {"a": [1, {"b": None}], "t": "\u00e9"})
        value, = [event.value for event in ctprof.load(self.trace()).events()
                  if event.kind == "counter"]
        self.assertEqual(value, 2.5)

    def test_memory_does_not_grow_with_the_events(self):
        path = self.work / "large.json"
        path.write_text("[" + ",".join(
            '{"ph":"X","name":"f","ts":%d,"dur":1,"pid":1,"tid":1}' % (3 * i)
            for i in range(50000)) + "]")
        rows = ctprof.load(path).events()
        tracemalloc.start()
        self.addCleanup(tracemalloc.stop)
        self.assertEqual(sum(1 for _ in rows), 50000)
        self.assertLess(tracemalloc.get_traced_memory()[1], 1 << 20)

    def test_an_iteration_may_be_left(self):
        files = pathlib.Path("/proc/self/fd")
        before = len(list(files.iterdir()))
        for _ in range(20):
            next(iter(ctprof.load(self.log).events()))
        gc.collect()
        self.assertEqual(len(list(files.iterdir())), before)

    def test_a_profile_has_no_events(self):
        path = self.work / "run.pstats"
        ctprof.load(self.log).dump_stats(path)
        profile = ctprof.load(path)
        with self.assertRaisesRegex(ValueError, f"{path}: .*no events"):
            list(profile.events())
        self.assertEqual(sum(row.ncalls for row in profile.functions()),
                         profile.total_calls)

    def test_broken_input_is_refused_with_the_place(self):
        path = self.trace()
        recording = ctprof.load(path)
        path.write_text('[{"ph":"X","ts":1,"dur":1,"name":},{"ph":"X"}]')
        with self.assertRaisesRegex(ValueError, f"{path}: byte [0-9]+: "):
            list(recording.events())
        path.unlink()
        with self.assertRaises(FileNotFoundError):
            list(recording.events())

    def test_cut_log_is_read_with_a_warning(self):
        self.log.write_bytes(self.log.read_bytes()[:-20])
        with self.assertWarnsRegex(RuntimeWarning, "its end is missing"):
            recording = ctprof.load(self.log)
        for rows in (recording.events(), recording.functions(),
                     recording.edges()):
            with self.assertWarnsRegex(RuntimeWarning, "its end is missing"):
                self.assertTrue(list(rows))


class Tables(LogTestCase):
    def test_functions_and_edges_are_the_profile(self):
        recording = ctprof.load(self.log)
        said = support.stats(self.log)
        names = {}
        for row in recording.functions():
            place = row.file, row.line, support.plain(row.name)
            cost = support.Cost(*row[3:7])
            names[place] = (support.add(names[place], cost)
                            if place in names else cost)
        self.assertEqual(
            names, {place: support.Cost(*function[:4])
                    for place, function in said.items()})
        self.assertEqual(
            sum(edge.ncalls for edge in recording.edges()),
            sum(edge.ncalls for function in said.values()
                for edge in function.callers.values()))

    def test_pstats_takes_a_recording(self):
        recording = ctprof.load(self.log)
        stats = pstats.Stats(recording)
        stats.add(ctprof.load(self.log))
        self.assertEqual(stats.total_calls, 2 * recording.total_calls)

    def test_reports_are_tables(self):
        rows = list(ctprof.load(self.log).table("stats", "--top=2"))
        self.assertEqual(len(rows), 2)
        self.assertIn("tottime_ns", rows[0])
        with self.assertRaisesRegex(RuntimeError, "report"):
            ctprof.load(self.log).table("no-report")

    def test_columns_are_chosen_by_name(self):
        rows = ctprof.load(self.log).events()
        self.assertIn("start_ns", rows.columns)
        for method in rows.to_pandas, rows.to_arrow:
            library = pandas if method == rows.to_pandas else pyarrow
            if library is not None:
                with self.assertRaisesRegex(ValueError, "no column 'x'"):
                    method(["x"])

    @unittest.skipIf(pandas is None, "needs pandas")
    def test_a_data_frame_has_all_rows(self):
        recording = ctprof.load(self.log)
        for rows in (recording.events(), recording.functions(),
                     recording.edges()):
            frame = rows.to_pandas()
            self.assertEqual(tuple(frame.columns), rows.columns)
            for got, row in zip(frame.itertuples(index=False), rows,
                                strict=True):
                self.assertEqual(
                    [None if cell is pandas.NA or cell != cell else cell
                     for cell in got], list(row))
        frame = recording.events().to_pandas(["name", "self_ns"])
        self.assertEqual(
            int(frame.groupby("name", observed=True)["self_ns"].sum().sum()),
            sum(row.tottime_ns for row in recording.functions()))

    @unittest.skipIf(pyarrow is None, "needs pyarrow")
    def test_an_arrow_table_has_all_rows(self):
        recording = ctprof.load(self.log)
        for rows in (recording.events(), recording.functions(),
                     recording.edges()):
            self.assertEqual(
                [tuple(row.values()) for row in rows.to_arrow().to_pylist()],
                [tuple(json.dumps(cell) if isinstance(cell, dict) else cell
                       for cell in row) for row in rows])
        self.assertEqual(
            recording.events().to_arrow(["name"]).column_names, ["name"])


class Converter(LogTestCase):
    def test_other_formats_equal_the_programs(self):
        for name in "folded", "callgrind", "chrome", "dot":
            with self.subTest(name):
                data, losses = convert(self.log, name)
                said = support.ctprof("convert", "-q", "-t", name, self.log)
                # Titles are those of the program.
                self.assertEqual(self.lines(data.decode()),
                                 self.lines(said.stdout))
                self.assertEqual(losses, {})

    def lines(self, text):
        return [line for line in text.splitlines() if "run.ctp" not in line]

    def test_unwritten_format_is_refused(self):
        for name in "nsys", "gif":
            with self.subTest(name), self.assertRaisesRegex(
                    ValueError, f"cannot write format '{name}'"):
                convert(self.log, name)

    def test_wrong_arguments_are_refused(self):
        for arguments in (), (self.log,), (self.log, 1), (1.5, "pstats"):
            with self.subTest(arguments), self.assertRaises(TypeError):
                convert(*arguments)
        with self.assertRaises(ValueError):
            convert("a\0b", "pstats")

    def test_directory_of_any_name_is_reported(self):
        text = '{"ph":"X","ts":1,"dur":1,"args":{"a":"%s"}}' % ("a" * 100000)
        path = self.work / "large.json"
        path.write_text(f"[{','.join([text] * 300)}]")
        with unittest.mock.patch.dict(os.environ,
                                      CTPROF_TMPDIR="/no\udce9"):
            with self.assertRaisesRegex(FileNotFoundError, "in /no\ufffd"):
                convert(path, "chrome")

    def test_failing_program_is_reported(self):
        for name in "gprof2dot", "dot":
            tool = self.work / name
            tool.write_text("#!/bin/sh\necho no >&2\nexit 3\n")
            tool.chmod(0o755)
        with unittest.mock.patch.dict(os.environ, PATH=(
                f"{self.work}:{os.environ['PATH']}")):
            with self.assertRaisesRegex(OSError, r"\A/.* failed with .* no"):
                convert(self.log, "svg")

    def test_nothing_is_left_open(self):
        files = pathlib.Path("/proc/self/fd")
        before = len(list(files.iterdir()))
        for _ in range(20):
            convert(self.log, "pstats")
            with self.assertRaises(ValueError):
                convert(__file__, "pstats")
        self.assertEqual(len(list(files.iterdir())), before)


if __name__ == "__main__":
    unittest.main()
