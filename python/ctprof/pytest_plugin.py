# SPDX-License-Identifier: MIT
"""pytest --ctprof=FILE records the tests, each as a range of its own.

Where the package was not installed by pip: pytest -p ctprof.pytest_plugin.
"""
import pytest

import ctprof
from ctprof import _output, _session


def pytest_addoption(parser):
    parser.getgroup("ctprof").addoption(
        "--ctprof", metavar="FILE", default=None,
        help="record the tests into this log, or, by its suffix, a profile "
             "or trace: .pstats, .json, ...")


def _say(config, words):
    """Where pytest writes: it keeps what goes to standard error meanwhile."""
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    if reporter is None:
        _session.say(words)
    else:
        reporter.write_line(f"ctprof: {words}")


def _end(config, output):
    """What fails here is no failure of the tests."""
    for step in ctprof.stop, output.complete_children, output.deliver:
        try:
            step()
        except (RuntimeError, OSError) as error:
            _say(config, str(error))


@pytest.hookimpl(hookwrapper=True)
def pytest_runtestloop(session):
    path = session.config.getoption("ctprof")
    if path is None:
        yield
        return
    output = _output.Output(path)
    try:
        ctprof.start(output.pattern(), depth=0)
    except RuntimeError as error:
        raise pytest.UsageError(f"--ctprof: {error}") from None
    try:
        yield
    finally:
        _end(session.config, output)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol(item):
    with ctprof.range(item.nodeid):
        yield
