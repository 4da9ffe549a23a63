# SPDX-License-Identifier: MIT
"""The records of a log of TORCH_TRACE, read independently of ctprof."""
import json
import re

RECORD = re.compile(r"[VDIWEF]\d{4} \d\d:\d\d:\d\d\.\d+ \d+ [^\]]+\] (\{.*)")


def torch_records(text):
    """(head, payload) of each record."""
    found = []
    for line in text.split("\n"):
        match = RECORD.match(line)
        if match:
            found.append((json.loads(match[1]), []))
        elif line.startswith("\t"):
            found[-1][1].append(line[1:])
    return [(head, "\n".join(payload)) for head, payload in found]
