# SPDX-License-Identifier: MIT
"""gprof's reports are read correctly; our own are read back unchanged; and
gprof2dot draws the same graph."""
import random
import re

from checks import check, finish
from profile_readers_case import Profile, convert, data_directory, run
from profile_readers_callgrind import stacks
from profile_readers_dot import check_oracle

REPORT = b"""Flat profile:

Each sample counts as 0.01 seconds.
  %   cumulative   self              self     total
 time   seconds   seconds    calls  ms/call  ms/call  name
 50.00      0.03     0.03        7     4.29     4.29  g(int, char)
 33.33      0.05     0.02        1    20.00    60.00  f

\x0c
\t\t     Call graph (explanation follows)


granularity: each sample hit covers 2 byte(s) for 16.67% of 0.06 seconds

index % time    self  children    called     name
                                                 <spontaneous>
[1]    100.0    0.01    0.05                 main [1]
                0.02    0.02       1/1           f [2]
                0.00    0.01       2/2           b <cycle 1> [5]
-----------------------------------------------
                0.02    0.02       1/1           main [1]
[2]     66.7    0.02    0.02       1         f [2]
                0.02    0.00       4/7           g(int, char) [3]
                                   2             f [2]
-----------------------------------------------
                0.01    0.00       3/7           b <cycle 1> [5]
                0.02    0.00       4/7           f [2]
[3]     50.0    0.03    0.00       7         g(int, char) [3]
-----------------------------------------------
                0.00    0.01       2/2           main [1]
[4]     16.7    0.00    0.01       2+8       <cycle 1 as a whole> [4]
                0.00    0.01       6             b <cycle 1> [5]
                0.00    0.00       4             a <cycle 1> [6]
-----------------------------------------------
                                   4             a <cycle 1> [6]
                0.00    0.01       2/2           main [1]
[5]     16.7    0.00    0.01       6         b <cycle 1> [5]
                0.01    0.00       3/7           g(int, char) [3]
                                   4             a <cycle 1> [6]
-----------------------------------------------
                                   4             b <cycle 1> [5]
[6]      0.0    0.00    0.00       4         a <cycle 1> [6]
                                   4             b <cycle 1> [5]
-----------------------------------------------

 This table describes the call tree of the program.
\x0c
Index by function name

   [6] a                       [2] f
"""
MS = 10 ** 6


def check_report():
    profile = Profile(REPORT)
    check(profile.functions == {
        "main": (1, 1, 10 * MS, 60 * MS), "f": (1, 1, 20 * MS, 40 * MS),
        "g(int, char)": (7, 7, 30 * MS, 30 * MS),
        "b": (6, 2, 0, 10 * MS), "a": (4, 1, 0, 0)}, "functions")
    check(profile.edges == {
        (None, "main"): (1, 1, 10 * MS, 60 * MS),
        ("main", "f"): (1, 1, 20 * MS, 40 * MS),
        ("main", "b"): (2, 2, 0, 10 * MS), ("f", "f"): (2, 1, 0, 0),
        ("f", "g(int, char)"): (4, 4, 20 * MS, 20 * MS),
        ("b", "g(int, char)"): (3, 3, 10 * MS, 10 * MS),
        ("a", "b"): (4, 2, 0, 0), ("b", "a"): (4, 1, 0, 0)}, "calls")
    status, out, _ = run("info", "-", data=REPORT)
    check(status == 0 and b"16.67% of 0.06 seconds" in out,
          "how coarse the times are is told")


def check_flat():
    profile = Profile(REPORT[:REPORT.index(b"\x0c")])
    check(profile.functions == {
        "g(int, char)": (7, 7, 30 * MS, 30030000),
        "f": (1, 1, 20 * MS, 60 * MS)}, "a flat profile alone")


def check_cut():
    cut = REPORT[:REPORT.index(b"[3]     50.0")]
    status, _, said = run("convert", "-t", "pstats", "-", "-o", "-", data=cut)
    check(status == 0 and "invalid events" in said,
          "an entry that was cut off is counted")
    check(Profile(cut).functions["g(int, char)"] ==
          (4, 4, 20 * MS, 20 * MS),
          "what has no entry has what is said of its calls")


def check_cut_flat():
    """The shares of a flat profile add up to 100 %."""
    flat = REPORT[:REPORT.index(b"\x0c")].rstrip() + (
        b"\n 16.67      0.06     0.01                             main\n")
    rows = flat.splitlines(keepends=True)
    for data, cut in ((flat, ""), (flat[:-1], "line end"),
                      (b"".join(rows[:-1]), "100 %")):
        _, _, said = run("convert", "-t", "pstats", "-", "-o", "-", data=data)
        check((said == "") == (cut == "") and cut in said,
              f"a flat profile up to {data[-20:]}: {said}")


def check_names():
    again = REPORT.replace(b"a <cycle 1> [6]", b"f <cycle 1> [6]")
    check(set(Profile(again).functions) ==
          {"main", "f", "f [6]", "g(int, char)", "b"},
          "functions of one name stay apart")
    taken = again.replace(b"g(int, char) [3]", b"f [6] [3]")
    check(set(Profile(taken).functions) ==
          {"main", "f", "f [6]", "f [6] [6]", "b"},
          "also where another one has the name that would tell them apart")


def check_bad():
    bad = REPORT.replace(b"[2]     66.7    0.02", b"[2]     66.7    0,02")
    status, _, said = run("convert", "-t", "pstats", "-", "-o", "-", data=bad)
    check(status == 0 and "invalid events" in said,
          "a line that cannot be read is counted")
    for data, cut in ((REPORT, False),
                      (REPORT[:REPORT.index(b"Index by")], True)):
        _, _, said = run("convert", "-t", "pstats", "-", "-o", "-", data=data)
        check(("cut off" in said) == cut, "a call graph ends in its index")
    status, _, said = run("convert", "-t", "pstats", "--from=gprof", "-",
                          "-o", "-", data=b"no table\n")
    check(status != 0 and "byte" in said and "no table" in said,
          "what has no table is refused")


def check_again(data, name):
    """Within a cycle, or by itself, a call has no times."""
    first = Profile(data)
    report = convert(data, "gprof")
    second = Profile(report)
    cycles = set(re.findall(r" (\S+) <cycle \d+> \[", report.decode()))
    check({key: (cost if key not in cycles else cost[:1] + cost[2:])
           for key, cost in first.functions.items()} ==
          {key: (cost if key not in cycles else cost[:1] + cost[2:])
           for key, cost in second.functions.items()},
          f"{name}: functions are read back")
    inside = {pair for pair in first.edges
              if pair[0] == pair[1] or {*pair} <= cycles}
    check({key: cost[:1] if key in inside else cost
           for key, cost in first.edges.items()} ==
          {key: cost[:1] if key in inside else cost
           for key, cost in second.edges.items()},
          f"{name}: calls are read back")


def main():
    check_report()
    check_flat()
    check_cut_flat()
    check_cut()
    check_names()
    check_bad()
    for seed in range(10):
        check_again(stacks(random.Random(seed), 30), f"random {seed}")
    check_again(b"m;f;g;f;g 5\nm;f 2\nm;f;g;f;x 7\nm;y 1\n", "cycle")
    data = data_directory()
    if data:
        # Two decimals of a second, in files shorter than a second.
        check_oracle(data, "prof", "gprof2dot/prof", .011)
    finish()


if __name__ == "__main__":
    main()
