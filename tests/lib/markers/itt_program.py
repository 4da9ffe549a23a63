# SPDX-License-Identifier: MIT
"""Tasks with the package ittapi, for itt.sh; with "events", prints the expected
ones."""

import sys

EVENTS = """\
begin :outer:0
begin :inner:0
end
end
begin :function:0
end"""

if len(sys.argv) == 2:
    print(EVENTS)
    sys.exit()

import ittapi

with ittapi.task("outer", domain="py"):
    with ittapi.task("inner", domain="py"):
        pass


@ittapi.task("function", domain="py")
def function():
    pass


function()
