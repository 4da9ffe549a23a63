# SPDX-License-Identifier: MIT
"""Records Python programs for ctprof: every call, with the whole timeline."""
