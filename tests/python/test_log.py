# SPDX-License-Identifier: MIT
"""Records other than calls in a Python program's log."""
import pathlib
import unittest

import support

MODULE = """\
class Greeter:
    def greet(self):
        return len("x")


def twice(greeter):
    greeter.greet()
    return greeter.greet()
"""
PROGRAM = """\
import greeting
greeting.twice(greeting.Greeter())
"""


class Log(support.TestCase):
    def setUp(self):
        super().setUp()
        (self.work / "greeting.py").write_text(MODULE)
        (self.work / "program.py").write_text(PROGRAM)
        self.log = self.work / "run.ctp"
        support.python("-m", "ctprof", "-q", "-o", self.log,
                       self.work / "program.py")

    def files(self, *options):
        return {pathlib.PurePath(file)
                for file, _, name in support.stats(self.log, *options)
                if name == "greet"}

    def test_directories_of_modules_are_left_out_on_request(self):
        self.assertEqual(self.files(), {self.work / "greeting.py"})
        self.assertEqual(self.files("--trim-prefix"),
                         {pathlib.PurePath("greeting.py")})

    def test_calls_from_several_lines_are_one_function(self):
        functions = support.stats(self.log)
        file = str(self.work / "greeting.py")
        greet = functions[file, 2, "greet"]
        self.assertEqual(greet.ncalls, 2)
        self.assertEqual(greet.callers[file, 6, "twice"].ncalls, 2)

    def test_timeline_has_kind_and_line_of_each_call(self):
        events = sorted((event for event in support.chrome(self.log)
                         if event["ph"] == "X"),
                        key=lambda event: (event["ts"], -event["dur"]))
        first = next(i for i, event in enumerate(events)
                     if event["name"] == "twice")
        self.assertEqual(
            [(event["name"], event["cat"], event["args"]["call_line"])
             for event in events[first:first + 5]],
            [("twice", "python", 2), ("greet", "python", 7),
             ("<built-in method builtins.len>", "c", 3),
             ("greet", "python", 8),
             ("<built-in method builtins.len>", "c", 3)])

    def test_qualified_names_have_their_class(self):
        names = {name for _, _, name in
                 support.stats(self.log, "--names=qualified")}
        self.assertIn("Greeter.greet", names)
        self.assertIn("twice", names)
        self.assertNotIn("greet", names)


if __name__ == "__main__":
    unittest.main()
