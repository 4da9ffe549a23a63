# SPDX-License-Identifier: MIT
"""Compares ctprof with speedscope's expected results for its own sample traces.

usage: chrome_snapshots.py CTPROF SNAPSHOTS FILE...

SNAPSHOTS is speedscope's file of expected results: for each trace, the stacks
in order of time with their durations, to two decimals. They are summed and
compared with ctprof's folded stacks. speedscope also distinguishes functions by
their arguments, which are removed first. Time without a stack is not compared.
"""
import collections
import pathlib
import re
import subprocess
import sys

UNITS = {"ns": 1, "µs": 1000, "ms": 10**6, "s": 10**9}

# Intended differences.
OURS = {
    # A is ended while B is open in it. speedscope ignores this; we end the
    # innermost range, as Chrome does.
    "end-non-top-of-stack.json": [
        ("A", "1", "µs"), ("A;B", "9", "µs"), ("A;Z", "1", "µs")],
    "out-of-order-unbalanced-name.json": [
        ("alpha", "2", "µs"), ("alpha;beta", "8", "µs")],
    # C (X) and D (B, E) have the same times. To speedscope, pairs are always
    # outside; to us, the first in the file is, as Chrome and V8 write it.
    "bex-interaction.json": [
        ("A;B", "2", "µs"), ("C;D", "2", "µs"), ("F", "1", "µs"),
        ("F;E", "1", "µs"), ("G", "1", "µs"), ("G;H", "1", "µs"),
        ("J", "1", "µs"), ("J;I", "1", "µs"), ("K", "1", "µs"),
        ("K;L", "1", "µs")],
    # speedscope reads samples as ranges; to us they are instants.
    "multi-thread-with-samples.json": [],
}


def frames_of(text):
    return ";".join(re.sub(r" \{.*", "", frame) for frame in text.split(";"))


def read_snapshots(path):
    """{file: [(stack, number, unit)]}, for all threads together."""
    files, stacks = {}, collections.defaultdict(list)
    test = None
    for line in path.read_text(encoding="utf-8").splitlines():
        stack = re.fullmatch(r'    "(.+) ([0-9.]+)(ns|µs|ms|s)",', line)
        name = re.match(r"exports\[`(.*): profileGroup\.name 1`\] = "
                        r'`"(.*)"`;', line)
        begin = re.match(r"exports\[`(.*) \d+`\]", line)
        if stack is not None:
            if frames_of(stack[1]):
                stacks[test].append(
                    (frames_of(stack[1]), *stack.groups()[1:]))
        elif name is not None:
            files[name[2]] = stacks[name[1]]
        elif begin is not None:
            test = begin[1]
    return files


def expected(stacks):
    """{stack: (ns, precision)}; values shown in ms are rounded."""
    sums = collections.defaultdict(lambda: [0, 0])
    for stack, number, unit in stacks:
        sums[stack][0] += round(float(number) * UNITS[unit])
        sums[stack][1] += UNITS[unit] // 200 + 1
    return sums


def folded(ctprof, path):
    lines = subprocess.run(
        [ctprof, "convert", "-q", "-t", "folded", path], check=True,
        stdout=subprocess.PIPE).stdout.decode("utf-8").splitlines()
    sums = collections.Counter()
    for line in lines:
        stack, _, time = line.rpartition(" ")
        # We add the file after a name; speedscope does not.
        sums[re.sub(r" \([^;]*:\d+\)", "", stack)] += int(time)
    return sums


def compare(ctprof, path, stacks):
    wanted = expected(stacks)
    found = folded(ctprof, path)
    wrong = [stack for stack in {**wanted, **found}
             if abs(found[stack] - wanted[stack][0]) > wanted[stack][1]]
    for stack in sorted(wrong):
        print(f"{path.name}: {stack}: {found[stack]} ns, "
              f"speedscope {wanted[stack][0]} ns")
    return bool(wrong)


def main():
    snapshots = {**read_snapshots(pathlib.Path(sys.argv[2])), **OURS}
    failed = 0
    for name in sys.argv[3:]:
        path = pathlib.Path(name)
        failed += compare(sys.argv[1], path, snapshots[path.name])
    print(f"{len(sys.argv) - 3} of speedscope's traces, {failed} differ")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
