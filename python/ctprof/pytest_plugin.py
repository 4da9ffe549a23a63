# SPDX-License-Identifier: MIT
"""pytest --ctprof=FILE records the tests, each as a range of its own.

Where the package was not installed by pip: pytest -p ctprof.pytest_plugin.
"""
import pytest

import ctprof
from ctprof import _output


def pytest_addoption(parser):
    parser.getgroup("ctprof").addoption(
        "--ctprof", metavar="FILE", default=None,
        help="record the tests into this log, or, by its suffix, a profile "
             "or trace: .pstats, .json, ...")


@pytest.hookimpl(hookwrapper=True)
def pytest_runtestloop(session):
    path = session.config.getoption("ctprof")
    if path is None:
        yield
        return
    output = _output.Output(path)
    ctprof.start(output.pattern(), depth=0)
    try:
        yield
    finally:
        ctprof.stop()
        output.complete_children()
        output.deliver()


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol(item):
    with ctprof.range(item.nodeid):
        yield
