# SPDX-License-Identifier: MIT
"""A test case for programs with ranges: runs them, and reads the ranges in
their logs."""

import support

BEGIN = """
import asyncio, concurrent.futures, sys, threading
import ctprof
"""


class TestCase(support.TestCase):
    def setUp(self):
        super().setUp()
        self.log = self.work / "run.ctp"

    def record(self, text, tracing=False):
        """Runs the text while recording, with or without a trace of its
        calls."""
        start = (f"ctprof.start({str(self.log)!r})\n" if tracing else "")
        env = {} if tracing else {"CTPROF_OUT": str(self.log)}
        end = "\nctprof.stop()" if tracing else ""
        script = self.script(BEGIN + start + text + end)
        return support.python(script, env=env, cwd=self.work).stdout

    def names(self):
        """The ranges of the only thread, by their beginning."""
        (rows,) = support.ranges(self.log).values()
        return [name for _, _, name in rows]

    def functions(self):
        """The profile, by names alone; callers, too."""
        return {key[2]: function._replace(
                    callers={key[2]: edge for key, edge
                             in function.callers.items()})
                for key, function in support.stats(self.log).items()}

    def spans(self):
        """Asynchronous ranges: (phase, name), in the order of the log."""
        return [(event["ph"], event["name"])
                for event in support.chrome(self.log)
                if event["ph"] in "be"]
