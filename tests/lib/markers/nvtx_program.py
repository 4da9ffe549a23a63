# SPDX-License-Identifier: MIT
"""Ranges with the package nvtx, for nvtx.sh; with "events", prints the expected
ones."""

import sys

EVENTS = """\
begin :annotated:0
arg color=#000000ff
begin :in a domain:0
arg color=#00ff0000
arg payload=3
end
end
begin :function:0
arg color=#000000ff
end
begin :pushed:0
arg color=#000000ff
end
instant :marked:0 color=#000000ff
async_begin :started:0 color=#000000ff
async_end :started:0
begin :seq = 12:0
arg color=#000000ff
end"""

if len(sys.argv) == 2:
    print(EVENTS)
    sys.exit()

import nvtx

with nvtx.annotate("annotated", color="blue"):
    with nvtx.annotate("in a domain", color="red", domain="py", payload=3):
        pass


@nvtx.annotate(color="blue")
def function():
    pass


function()
nvtx.push_range("pushed", color="blue")
nvtx.pop_range()
nvtx.mark("marked")
nvtx.end_range(nvtx.start_range("started"))
domain = nvtx.get_domain("dom")
domain.push_range(domain.get_event_attributes(message="seq = 12"))
domain.pop_range()
