# SPDX-License-Identifier: MIT
"""ctprof.load() and the converter under it."""

import marshal
import os
import pathlib
import unittest
import unittest.mock
import warnings

import ctprof
import support
from ctprof._convert import convert

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
        with self.assertRaises(IsADirectoryError):
            ctprof.load(self.work)

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
