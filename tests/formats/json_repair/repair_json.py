# SPDX-License-Identifier: MIT
"""Tests ctprof repair on damaged JSON: each kind of damage, each position of a
truncation, each invalid byte. Python's own parser reads the output, and events
are counted in the input.

usage: repair_json.py CTPROF REPAIR_MANY TRACES
"""
import json
import os
import struct
import subprocess
import sys
import tempfile

import checks
from checks import fail, finish, strict_json
import repair_cases
import repair_damage

CTPROF, MANY, TRACES = sys.argv[1:4]


class Many:
    """tests/formats/json_repair/repair_many: bytes in, (status, fixes, events, bytes) out."""

    def __init__(self):
        self.process = subprocess.Popen(
            [MANY], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def numbers(self, count):
        data = self.process.stdout.read(4 * count)
        return struct.unpack("<%dI" % count, data)

    def mend(self, damaged):
        self.process.stdin.write(struct.pack("<I", len(damaged)) + damaged)
        self.process.stdin.flush()
        status, kinds = self.numbers(2)
        fixes = self.numbers(kinds)
        events, size = self.numbers(2)
        return status, sum(fixes), events, self.process.stdout.read(size)

    def close(self):
        self.process.stdin.close()
        if self.process.wait() != 0:
            fail("repair_many failed")


def run(args, data=None):
    return checks.run("repair", *args, data=data)


def check_case(each, work):
    path = os.path.join(work, "out.json")
    done = run(["--json", "--force", "-o", path, "-"], each.damaged)
    if done.returncode != 0:
        fail(f"{each.name}: status {done.returncode}: {done.stderr}")
        return
    with open(path, "rb") as out:
        text = out.read().decode()
    strict_json(text)
    if text != each.text:
        fail(f"{each.name}: {text!r}, not {each.text!r}")
    report = json.loads(done.stdout)
    rows = {row["fix"]: row["count"] for row in report["rows"]}
    if rows != each.fixes:
        fail(f"{each.name}: {rows}, not {each.fixes}")
    said = done.stderr.decode()
    if len(said.splitlines()) != max(len(rows), 1):
        fail(f"{each.name}: said {said}")
    for row in report["rows"]:
        line = (f"standard input: {row['count']} {row['words']}, "
                f"first at byte {row['byte']}")
        if line not in said or row["byte"] > len(each.damaged):
            fail(f"{each.name}: {row}, {said}")
    if report["output_bytes"] != len(text.encode()) or \
            report["input_bytes"] != len(each.damaged):
        fail(f"{each.name}: {report}")


def main():
    many = Many()
    with tempfile.TemporaryDirectory() as work:
        for each in repair_cases.CASES:
            check_case(each, work)
    repair_damage.check(many.mend, TRACES, fail)
    many.close()
    finish()


main()
