# SPDX-License-Identifier: MIT
"""pytest --ctprof=FILE records the tests, each as a range.

If the package was not installed by pip: pytest -p ctprof.pytest_plugin.

Under xdist the tests run in its workers. Each worker writes a log, and the
process that started the workers merges the logs into the requested file.
"""
import os

import pytest

import ctprof
from ctprof import _output, _session


def pytest_addoption(parser):
    parser.getgroup("ctprof").addoption(
        "--ctprof", metavar="FILE", default=None,
        help="record the tests into this log, or, by its suffix, a profile "
             "or trace: .pstats, .json, ...")


def _say(config, words):
    """Prints with pytest, after its other output; it withholds standard error
    while the tests run."""
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    if reporter is None:
        _session.say(words)
    else:
        config.add_cleanup(lambda: reporter.write_line(f"ctprof: {words}"))


def _finish(config, *steps):
    """An error here does not fail the tests."""
    for step in steps:
        try:
            step()
        except (RuntimeError, OSError) as error:
            _say(config, str(error))


class _Workers:
    """The logs of xdist's workers, in the process that starts them."""

    def __init__(self, path):
        self._path = os.path.abspath(path)
        self._logs = []
        self._reason = None  # from the first that could not record

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node):
        log = f"{self._path}.{node.gateway.id}.{os.getpid()}.ctp"
        node.workerinput["ctprof"] = log
        self._logs.append(log)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node):
        reason = getattr(node, "workeroutput", {}).get("ctprof")
        self._reason = self._reason or reason

    def deliver(self):
        try:
            _output.merge(self._logs, self._path)
        except RuntimeError as error:
            if self._reason is None:
                raise
            raise RuntimeError(f"{error}; {self._reason}") from None

    def __bool__(self):
        return bool(self._logs)


def pytest_configure(config):
    path = config.getoption("ctprof")
    if path is not None and not hasattr(config, "workerinput"):
        config.pluginmanager.register(_Workers(path), "ctprof_workers")


def _record(config, path):
    """Records until the generator resumes."""
    worker = getattr(config, "workerinput", None)
    output = _output.Output((worker or {}).get("ctprof", path))
    try:
        ctprof.start(output.pattern(), depth=0)
    except RuntimeError as error:
        if worker is None:
            raise pytest.UsageError(f"--ctprof: {error}") from None
        # The process that started the worker reports the missing log.
        config.workeroutput["ctprof"] = str(error)
        yield
        return
    try:
        yield
    finally:
        _finish(config, ctprof.stop, output.join_children, output.deliver)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtestloop(session):
    config = session.config
    path = config.getoption("ctprof")
    workers = config.pluginmanager.get_plugin("ctprof_workers")
    if path is None:
        yield
    elif workers:
        yield
        _finish(config, workers.deliver)
    else:
        yield from _record(config, path)


def pytest_itemcollected(item):
    """Wraps runtest(). A wrapper of pytest's hooks would not work: it returns
    before the test begins, and ranges that it has opened end with it."""
    if item.config.getoption("ctprof") is None:
        return
    run = item.runtest

    def runtest():
        __tracebackhide__ = True
        with ctprof.range(item.nodeid):
            run()
    item.runtest = runtest
