# SPDX-License-Identifier: MIT
"""Children, and programs that die: their recorded events are kept."""

import os
import signal
import unittest

import support

WORK = """
import os, signal, sys, time
def work(): pass
def child_work(): pass
def ten(function):
    for _ in range(10):
        function()
"""


class Processes(support.TestCase):
    def setUp(self):
        super().setUp()
        # Dead processes leave their buffers in this test's own directory.
        self.spool = self.work / "spool"
        self.spool.mkdir()
        self.env = {"CTPROF_SPOOL": str(self.spool)}

    def run_traced(self, text, hook, **options):
        log = self.traced(WORK + text, hook, env=self.env, **options)
        support.ctprof("repair", "-q", "--all",
                       env={**os.environ, **self.env})
        self.assertEqual(sorted(self.spool.iterdir()), [])
        return log

    def child_logs(self):
        return sorted(self.work.glob("run.*.ctp"))

    @support.each_hook
    def test_fork_goes_on_in_a_log_of_its_own(self, hook):
        text = """
start()
ten(work)
pid = os.fork()
if pid == 0:
    ten(child_work)
    os._exit(0)
os.waitpid(pid, 0)
ten(work)
stop()
"""
        parent = support.calls(self.run_traced(text, hook))
        self.assertEqual((parent["work"], parent["child_work"]), (20, 0))
        logs = self.child_logs()
        self.assertEqual(len(logs), 1)
        child = support.calls(logs[0])
        self.assertEqual((child["work"], child["child_work"]), (0, 10))

    @support.each_hook
    def test_child_has_the_frames_that_were_open(self, hook):
        text = """
def outer():
    inner()
def inner():
    if os.fork() == 0:
        ten(child_work)
        return
    os.wait()
start()
outer()
if os.getpid() != parent:
    os._exit(0)
stop()
"""
        self.run_traced("parent = os.getpid()" + text, hook)
        functions = support.stats(self.child_logs()[0])
        child = [key for key in functions if key[2] == "child_work"][0]
        callers = [key[2] for key in functions[child].callers]
        self.assertEqual(callers, ["ten"])
        names = {key[2]: function for key, function in functions.items()}
        self.assertEqual([key[2] for key in names["inner"].callers],
                         ["outer"])
        self.assertEqual([key[2] for key in names["ten"].callers],
                         ["inner"])

    @support.each_hook
    def test_fork_in_a_thread_beside_threads(self, hook):
        text = """
import threading
def busy():
    while not over.is_set():
        work()
def forking():
    pid = os.fork()
    if pid == 0:
        ten(child_work)
        os._exit(0)
    os.waitpid(pid, 0)
over = threading.Event()
start()
other = threading.Thread(target=busy)
other.start()
for _ in range(3):
    thread = threading.Thread(target=forking)
    thread.start()
    thread.join()
over.set()
other.join()
stop()
"""
        self.run_traced(text, hook)
        counts = [support.calls(log)["child_work"]
                  for log in self.child_logs()]
        self.assertEqual(counts, [10, 10, 10])

    @support.each_hook
    def test_multiprocessing_by_fork(self, hook):
        text = """
import multiprocessing
context = multiprocessing.get_context("fork")
def squared(n):
    child_work()
    return n * n
start()
with context.Pool(2) as pool:
    assert pool.map(squared, range(20), 1) == [n * n for n in range(20)]
    pool.close()
    pool.join()
process = context.Process(target=ten, args=(child_work,))
process.start()
process.join()
stop()
"""
        parent = support.calls(self.run_traced(text, hook))
        self.assertEqual(parent["squared"], 0)
        counts = [support.calls(log) for log in self.child_logs()]
        self.assertEqual(sum(each["squared"] for each in counts), 20)
        self.assertEqual(sum(each["child_work"] for each in counts), 30)

    @support.each_hook
    def test_daemon_that_closes_all_descriptors(self, hook):
        text = """
start()
ten(work)
os.closerange(3, 256)
ten(work)
assert os.open(os.devnull, os.O_RDWR) == 3
time.sleep(0.3)
ten(work)
assert os.open(os.devnull, os.O_RDWR) == 4
stop()
"""
        log = self.run_traced(text, hook)
        self.assertEqual(support.calls(log)["work"], 30)

    @support.each_hook
    def dies(self, hook, end, status):
        """All events before the end of the program are in its log."""
        text = f"""
start()
for n in range(5000):
    work()
def last():
    {end}
last()
"""
        log = self.run_traced(text, hook, status=status)
        counts = support.calls(log)
        self.assertEqual((counts["work"], counts["last"]), (5000, 1))

    def test_killed(self):
        self.dies("os.kill(os.getpid(), signal.SIGKILL)", -signal.SIGKILL)

    def test_ended_at_once(self):
        self.dies("os._exit(7)", 7)

    def test_segmentation_fault(self):
        self.dies("import ctypes; ctypes.string_at(0)", -signal.SIGSEGV)

    def test_aborted(self):
        self.dies("os.abort()", -signal.SIGABRT)

    def test_interrupted(self):
        # Background processes of a shell ignore it.
        handle = "signal.signal(signal.SIGINT, signal.default_int_handler)"
        end = f"{handle}; signal.raise_signal(signal.SIGINT)"
        self.dies(end, -signal.SIGINT)

    def test_terminated(self):
        self.dies("signal.raise_signal(signal.SIGTERM)", -signal.SIGTERM)

    def test_unhandled_exception(self):
        self.dies("raise SystemError('unhandled')", 1)

    def test_exit_without_stop(self):
        self.dies("sys.exit(3)", 3)


if __name__ == "__main__":
    unittest.main()
