# SPDX-License-Identifier: MIT
"""Records Python programs for ctprof: every call, with the whole timeline."""
from ._ctprof import counter, instant, range, step
from ._trace import record_function, trace

__all__ = ["counter", "instant", "range", "record_function", "step", "trace"]
