# SPDX-License-Identifier: MIT
"""Records Python programs for ctprof: every call, with the whole timeline."""
from ._ctprof import __version__, counter, instant, range, step
from ._ctprof import record_flush as flush
from ._session import start, stop
from ._stats import load
from ._summary import merge_summaries, summarize
from ._trace import record_function, trace
from .profile import Profile, run, runctx

__all__ = ["DynamoProfilerState", "Profile", "cflags", "counter", "flush",
           "get_include", "instant", "libs", "load", "merge_summaries",
           "range", "record_function", "run", "runctx", "start", "step",
           "stop", "summarize", "trace"]


def __getattr__(name):
    # It imports modules that recorded programs should not have to load.
    if name == "DynamoProfilerState":
        from .dynamo import DynamoProfilerState
        return DynamoProfilerState
    if name in ("cflags", "get_include", "libs"):
        from . import _build
        return getattr(_build, name)
    raise AttributeError(f"module 'ctprof' has no attribute '{name}'")


def load_ipython_extension(shell):
    """%load_ext ctprof: the magic %%ctprof."""
    from ._ipython import load as load_magic
    load_magic(shell)
