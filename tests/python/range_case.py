# SPDX-License-Identifier: MIT
"""A test that runs a program with ranges of its own, and what these are in its
log."""

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
        """Runs the text with recording on, and with its calls or not."""
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
        """The profile, by names alone; so are callers."""
        return {key[2]: function._replace(
                    callers={key[2]: edge for key, edge
                             in function.callers.items()})
                for key, function in support.stats(self.log).items()}

    def spans(self):
        """Asynchronous ranges: (phase, name), as they come in the log."""
        return [(event["ph"], event["name"])
                for event in support.chrome(self.log)
                if event["ph"] in "be"]
