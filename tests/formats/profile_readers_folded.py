# SPDX-License-Identifier: MIT
"""Folded stacks are read with the same results as a few lines of Python."""
import collections
import os
import sys

from checks import check, finish
from profile_readers_case import Profile, convert, data_directory, run


def stacks_of(text):
    """Each stack with its time in the files."""
    stacks = collections.Counter()
    for line in text.splitlines():
        if line.strip():
            stack, count = line.strip().rsplit(" ", 1)
            stacks[tuple(stack.split(";"))] += int(count)
    return stacks


def sums_of(stacks):
    """Functions and edges with their times, by cProfile's rules."""
    functions = collections.defaultdict(lambda: [0, 0])
    edges = collections.defaultdict(lambda: [0, 0])
    for stack, time in stacks.items():
        pairs = list(zip((None,) + stack[:-1], stack))
        for name in set(stack):
            functions[name][1] += time
        for pair in set(pairs):
            edges[pair][1] += time
        functions[stack[-1]][0] += time
        edges[pairs[-1]][0] += time
    return functions, edges


def paths_of(stacks):
    return {stack[:i + 1] for stack in stacks for i in range(len(stack))}


def check_calls(profile, stacks, name):
    """Each path is one call."""
    calls = collections.Counter(path[-1] for path in paths_of(stacks))
    primitive = collections.Counter(
        path[-1] for path in paths_of(stacks) if path[-1] not in path[:-1])
    found = {key: value[:2] for key, value in profile.functions.items()}
    check(found == {key: (calls[key], primitive[key]) for key in calls},
          f"{name}: each path is one call")


def check_file(path):
    name = os.path.basename(path)
    with open(path, encoding="utf-8", newline="") as file:
        stacks = stacks_of(file.read())
    functions, edges = sums_of(stacks)
    profile = Profile(path)
    check(profile.times() ==
          {key: tuple(value) for key, value in functions.items()},
          f"{name}: times of functions")
    check({key: value[2:] for key, value in profile.edges.items()} ==
          {key: tuple(value) for key, value in edges.items()},
          f"{name}: times of edges")
    check_calls(profile, stacks, name)
    again = convert(path, "folded")
    check(stacks_of(again.decode()) ==
          {key: value for key, value in stacks.items() if value},
          f"{name}: the same stacks when written")
    check(convert(again, "folded") == again,
          f"{name}: the same bytes when written again")


def check_bad():
    status, out, said = run("convert", "-t", "folded", "--from=folded", "-",
                            "-o", "-", data=b"a;b 1\nno number\nb 2\n")
    check(status == 0 and out == b"b 2\na;b 1\n" and "invalid events" in said,
          "a line without a number is counted, and left out")
    for line, data in ((2, b"a;b 1\nno number\na;b 2\nc 1\nc;d 3\n"),
                       (1, b"no number\na;b 1\na;b 2\nc 1\nc;d 3\n")):
        status, out, said = run("convert", "-t", "folded", "-", "-o", "-",
                                data=data)
        check(status == 0 and
              sorted(out.splitlines()) == [b"a;b 3", b"c 1", b"c;d 3"] and
              f"line {line} does not end in a whole number: left out" in said,
              f"a file is used but for line {line}: {said}")
    _, _, said = run("convert", "-t", "folded", "-", "-o", "-",
                     data=b"a;b 1\na;b 2")
    check("may be cut off: its last line has no line end" in said,
          "a last line without an end may be cut off")
    status, _, said = run("convert", "-t", "folded", "--from=folded", "-",
                          "-o", "-", data=b"\n\nnothing of it\n")
    check(status != 0 and "byte 2" in said,
          "what holds no stack is refused with the place")
    status, out, said = run("convert", "-t", "folded", "--from=folded", "-",
                            "-o", "-", data=b"a;b 1\nb;c 2\na\0b 3\n")
    check(status == 0 and out == b"b;c 2\na;b 1\n",
          "what comes before a zero byte is used")
    big = b"a;b 9223372036854775807\na 1\n"
    check(convert(big, "folded") == big[:24],
          "times beyond counting are left out")
    check(convert(b"a b;c d 7", "folded") == b"a b;c d 7\n",
          "names may have spaces, and the last line no end")
    check(convert(b"a;b; 5\na;;b 3\n", "folded") ==
          b"a;b 5\na;(no name);b 3\n",
          "a semicolon at the end is no frame")
    status, _, said = run("convert", "-t", "folded", "--from=folded", "-",
                          "-o", "-", data=b"a;" + b"b" * (65 << 20) + b" 1")
    check(status == 6 and "longer than" in said, "a line beyond all bounds")
    deep = b";".join([b"f"] * 300000) + b" 5\n"
    check(convert(deep, "pstats", "--from=folded") != b"",
          "a stack of 300,000 frames")


def main():
    for name in ("simple.txt", "simple-crlf.txt", "recursion.txt"):
        check_file(os.path.join(sys.argv[1], name))
    data = data_directory()
    if data:
        check_file(os.path.join(data, "gprof2dot/collapse/keywords.collapse"))
    check_bad()
    finish()


main()
