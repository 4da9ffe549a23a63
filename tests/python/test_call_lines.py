# SPDX-License-Identifier: MIT
"""The lines of calls."""
import sys
import unittest

import support
from test_tracer import Traced


class CallLines(Traced):
    def test_property_has_the_line_of_its_use(self):
        class Thing:
            @property
            def value(self):
                return 1

        def caller():
            one = Thing()
            return one.value

        for hook in support.HOOKS:
            with self.subTest(hook=hook):
                self.trace(caller, hook=hook)
                self.assertEqual(self.named("value")[0]["args"]["call_line"],
                                 caller.__code__.co_firstlineno + 2)

    def test_callback_from_c_has_the_line_of_the_c_call(self):
        def caller():
            return sorted([2, 1],
                          key=lambda x: x)

        for hook in support.HOOKS:
            with self.subTest(hook=hook):
                self.trace(caller, hook=hook)
                lines = {event["args"]["call_line"]
                         for event in self.named("<lambda>")}
                self.assertEqual(lines, {caller.__code__.co_firstlineno + 1})

    def test_calls_forth_and_back_have_their_lines(self):
        lines = []

        def here():
            lines.append(sys._getframe(1).f_lineno)

        # Calls near and far, with the last line met first.
        text = "def caller(here):\n for n in range(200):\n"
        for n in range(199, -1, -1):
            text += f"  if n == {n}:\n{'#' * (n % 3)}\n" + \
                    "\n" * (n * 37 % 101) + "   here()\n"
        text += "def twice(here):\n here(); here()\n caller(here)\n"
        names = {}
        exec(compile(text, "far.py", "exec"), names)
        for hook in support.HOOKS:
            with self.subTest(hook=hook):
                lines.clear()
                self.trace(names["twice"], here, hook=hook)
                told = sorted(self.named("here"), key=lambda e: e["ts"])
                self.assertEqual([e["args"]["call_line"] for e in told],
                                 lines)


if __name__ == "__main__":
    unittest.main()
