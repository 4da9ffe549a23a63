# SPDX-License-Identifier: MIT
"""callgrind profiles are read by their grammar; our own are read back
unchanged; and times that a file lacks equal gprof2dot's where that need not
guess."""
import marshal
import os
import random
import sys
import tempfile

from checks import check, finish
from profile_readers_case import ROOT, Profile, convert, data_directory, run
from profile_readers_dot import check_oracle

HEAD = b"# callgrind format\n"


def check_samples(directory):
    for name in ("callgrind.example.log", "callgrind.name-compression.log"):
        profile = Profile(os.path.join(directory, name))
        check(profile.functions == {
            "main": (1, 1, 20, 820), "func1": (1, 1, 100, 400),
            "func2": (5, 5, 700, 700)}, f"{name}: functions")
        check(profile.edges == {
            (None, "main"): (1, 1, 20, 820), ("main", "func1"): (1, 1, 100,
                                                                 400),
            ("main", "func2"): (3, 3, 420, 400),
            ("func1", "func2"): (2, 2, 280, 300)}, f"{name}: calls")


def stacks(chance, count):
    """Stacks whose functions call only later ones or themselves, so that there
    are no cycles."""
    lines = []
    for _ in range(count):
        stack, at = [], 0
        while at < 12 and len(stack) < 9:
            stack += [f"f{at}"] * chance.choice((1, 1, 1, 2, 3))
            at += chance.randrange(1, 6)
        lines.append(";".join(stack) + f" {chance.randrange(1, 10 ** 9)}")
    return "\n".join(lines).encode()


def without_own(edges):
    """callgrind does not give a call's self time in the callee."""
    return {pair: cost[:2] + cost[3:] for pair, cost in edges.items()}


def check_again(seed):
    data = stacks(random.Random(seed), 30)
    first = Profile(data)
    second = Profile(convert(data, "callgrind"))
    check(first.functions == second.functions,
          f"random {seed}: functions are read back")
    edges = {pair: cost for pair, cost in without_own(first.edges).items()
             if pair[0] != pair[1]}
    found = {pair: cost for pair, cost in without_own(second.edges).items()
             if pair[0] != pair[1]}
    check(edges == found, f"random {seed}: calls are read back")


def check_circle():
    """In a cycle, its entry and its total are exact."""
    data = b"m;f;g;f;g 5\nm;f 2\nm;f;g;f;x 7\nm;y 1\n"
    first = Profile(data).functions
    second = Profile(convert(data, "callgrind")).functions
    check(all(first[name][2] == second[name][2] for name in first),
          "circle: own times")
    check(first == second, "circle: its entry, and what is outside")


# From pyprof2calltree, which does not write the first function's caller.
ENTERED = b"""events: ns
fl=a
fn=exec
1 4
cfn=module
calls=1 1
1 57
cfn=leaf
calls=1 1
1 4
fn=module
1 50
cfn=import
calls=1 1
1 7
fn=import
1 2
cfn=exec
calls=1 1
1 5
fn=leaf
1 4
"""


def check_entry():
    check(Profile(ENTERED).functions == {
        "exec": (2, 1, 4, 60), "module": (1, 1, 50, 57),
        "import": (1, 1, 2, 7), "leaf": (1, 1, 4, 4)},
          "a circle that nobody calls begins where most was that no call had")
    itself = b"events: ns\nfl=a\nfn=f\n1 5\ncfn=f\ncalls=2 1\n1 3\n"
    check(Profile(itself).functions == {"f": (3, 1, 5, 5)},
          "what only calls itself was called once more")
    unknown = (b"events: ns\nfn=a\n1 5\ncfn=b\ncalls=0 1\n1 10\nfn=b\n1 6\n"
               b"cfn=a\ncalls=0 1\n1 7\nfn=r\n1 0\ncfn=r\ncalls=3 1\n1 5\n")
    first = Profile(unknown).functions
    check(first == {"a": (1, 1, 5, 11), "b": (1, 1, 6, 10), "r": (4, 1, 0, 0)},
          "who has time was called, though it is said to be never")
    check(Profile(convert(unknown, "callgrind")).functions == first,
          "which is read back")


GRAMMAR = HEAD + b"""version: 1
creator: x
positions: instr line
events: Ir Time_(10us) Dr

ob=(1) lib.so
fl=(1) a.c
fn=(1) f
0x10 5 100 3
+4 * 1 1 9
* +2 7
jump=3/4 0x10 +1
* *
cob=(2) other.so
cfi=(2) b.c
cfn=(2) g
calls=2 0x100 70
* +3 4 6
fi=(2)
-8 -9 5 2
cfn=(3) h
calls=1 0x200 9
* * 1 1
fe=(1)
fn=(2)
0x100 70 0 4
cfn=(1)
0x100 70 0 4
fn=unknown'2
1 1 0 1
fn=(9)
1 1 0 1
part: 2
fl=(1)
fn=(1)
0x10 5 100 0x2
totals: 1
"""


def check_grammar():
    status, out, said = run("convert", "-t", "pstats", "-", "-o", "-",
                            data=GRAMMAR)
    check(status == 0 and "names are lost" in said,
          "a number that stands for nothing is counted")
    profile = Profile(GRAMMAR)
    unit = 10000
    check(profile.times() == {
        "f": (8 * unit, 15 * unit), "g": (8 * unit, 8 * unit),
        "h": (0, 0), "unknown'2": (unit, unit), "(9)": (unit, unit)},
        "the first cost that is a time; parts are summed up")
    rows = convert(GRAMMAR, "callgrind").decode()
    check("\n5 213 8 9\n" in rows and "\n70 0 8 0\n" in rows,
          "relative positions; lines of what was inlined are not its own")


# From --collect-jumps: the first use of a name may be a jump's target.
JUMPS = HEAD + b"""positions: instr line
events: ns

fl=(1) a.c
fn=(1) f
jfi=(2) b.c
jfn=(2) g
jump=1 0x10 +1
* *
0x10 5 100
fl=(2)
fn=(2)
0x20 6 50
"""

# From yappi: all names come before the functions' contents.
LISTED = b"""version: 1
creator: yappi
events: Ticks

fl=(1) a.py
fl=(2) b.py
fn=(1) f
fn=(2) g

fl=(1)
fn=(1)
3 10
cfl=(2)
cfn=(2)
calls=4 7
3 20

fl=(2)
fn=(2)
7 20
"""


def check_places():
    for data, expected, what in (
            (JUMPS, {"f": ("a.c", 5), "g": ("b.c", 6)}, "where a jump goes"),
            (LISTED, {"f": ("a.py", 3), "g": ("b.py", 7)}, "in a list")):
        status, out, said = run("convert", "-t", "pstats", "-", "-o", "-",
                                data=data)
        found = {key[2]: key[:2] for key in marshal.loads(out)}
        found.pop(ROOT, None)
        check(status == 0 and said == "" and found == expected,
              f"names that are said first {what}")


def check_units():
    ticks = "has no unit of time: 1 ns stands for 1 of Ticks\n"
    for head, unit, words in (
            (b"creator: yappi\nevents: Ticks", 1000, ""),
            (b"creator: xdebug 2.9.8 (PHP 7.4)\nevents: Time Memory", 1000, ""),
            (b"events: process_time", 1000, ""),
            (b"creator: x\nevents: Ticks", 1, ticks)):
        data = b"version: 1\n" + head + b"\nfl=a\nfn=f\n1 5 -7\n"
        _, _, said = run("convert", "-t", "pstats", "-", "-o", "-", data=data)
        check(said.endswith(words) and (said == "") == (words == "") and
              Profile(data).times() == {"f": (5 * unit, 5 * unit)},
              f"the unit of {head.decode()}")


def check_events():
    """Any event of a file can be chosen, and no other."""
    data = (b"version: 1\nevents: Ir Dr Time_(10us)\nfn=f\n1 5 3 1\n"
            b"cfn=g\ncalls=2 9\n2 10 4\nfn=g\n9 10 4\n")
    for event, f, g in (("Ir", (5, 15), 10), ("Dr", (3, 7), 4),
                        ("Time_(10us)", (10000, 10000), 0)):
        check(Profile(data, f"--events={event}").times() ==
              {"f": f, "g": (g, g)}, f"--events={event}")
    check(Profile(data).times()["f"] == (10000, 10000), "time is the default")
    for event, source in ("Dw", data), ("Ir", b"a;b 1\na;b 2\n"):
        status, _, said = run("convert", "-t", "pstats", f"--events={event}",
                              "-", "-o", "-", data=source)
        check(status == 3 and ("no event 'Dw'" in said or
                               "--events: only" in said),
              f"--events={event} is refused: {said}")
    _, out, _ = run("info", "-", data=data)
    check(b"costs   Ir Dr Time_(10us)" in out, "info lists the events")


# Two objects, one of them without a file, and four events.
KEPT = HEAD + b"""version: 1
creator: callgrind-3.19.0
cmd: ./prog a
positions: line
event: Ir : Instruction Fetch
events: Ir Dr Dw Bc
summary: 1450 300 150 60

ob=(1) /usr/lib/libfoo.so
fl=(1) foo.c
fn=(1) main
10 60 20 10 5
11 40
cob=(2) /opt/libbar.so
cfi=(2) ???
cfn=(2) bar
calls=3 20
12 1300 270 135 50

ob=(2)
fl=(2)
fn=(2)
20 1000 200 100 40
21 300 70 35 10
fl=(3) bar.c
fn=(3) main
30 50 10 5 5

totals: 1450 300 150 60
"""
COPIED = HEAD + b"""version: 1
creator: ctprof
cmd: standard input
positions: line
event: Ir : Instruction Fetch
events: Ir Dr Dw Bc
summary: 1450 300 150 60

ob=(1) /usr/lib/libfoo.so
fl=(2) foo.c
fn=(2) main
10 100 20 10 5
cob=(2) /opt/libbar.so
cfi=(1) ???
cfn=(3) bar
calls=3 20
10 1300 270 135 50

ob=(2)
fl=(1)
fn=(3)
20 1300 270 135 50

fl=(3) bar.c
fn=(4) main
30 50 10 5 5

totals: 1450 300 150 60
"""


def check_kept():
    """A callgrind profile made of another one has its objects, all of its
    events and their names; its sum is that of its parts."""
    status, out, said = run("convert", "-t", "callgrind", "-", data=KEPT)
    check((status, out, said) == (0, COPIED, ""), f"a copy: {out.decode()}")
    check(run("convert", "-t", "callgrind", "-", data=COPIED)[1] == COPIED,
          "a copy of the copy")
    check(b"\nfn=(3)\n0 1350 280 140 55\n" in
          run("convert", "--top=1", "-t", "callgrind", "-", data=KEPT)[1],
          "costs of what is left out")
    with tempfile.TemporaryDirectory() as work:
        path = os.path.join(work, "kept.callgrind")
        other = os.path.join(work, "other.callgrind")
        with open(path, "wb") as file:
            file.write(KEPT)
        for second, end in ((KEPT, b"totals: 2900 600 300 120\n"),
                            (KEPT.replace(b" Bc", b" Bi"), b"totals: 2900\n")):
            with open(other, "wb") as file:
                file.write(second)
            _, out, _ = run("merge", "-t", "callgrind", path, other)
            check(out.endswith(end), f"a sum: {out.decode()}")
    _, _, said = run("convert", "-t", "pstats", "-", "-o", "-", data=KEPT)
    check("1 ns stands for 1 of Ir" in said, "what becomes time says so")
    names = b" ".join(b"E%d" % i for i in range(70))
    _, out, _ = run("convert", "-t", "callgrind", "-",
                    data=b"version: 1\nevents: " + names + b"\nfn=f\n1 5 6\n")
    check(b"\nevents: ns\n" in out, "too many events")
    _, out, _ = run("convert", "-t", "callgrind", "-", data=YAPPI)
    check(b"\nevents: Ticks_(us)\n" in out and
          Profile(out).times() == Profile(YAPPI).times(),
          "a unit that only the creator implies")
    negative = b"version: 1\nevents: ns Mem\nfl=a\nfn=f\n1 5 -7\n2 1 3\n"
    _, out, _ = run("convert", "-t", "callgrind", "-", data=negative)
    check(b"\n1 6 -4\n" in out, "memory that shrinks")
    _, out, _ = run("convert", "-t", "callgrind", "-", data=KEPT + negative)
    check(b"\nevents: ns\n" in out, "parts with different events")


def check_end():
    whole = HEAD + (b"creator: callgrind-3.19.0\nevents: Ir\nfn=f\n1 5\n"
                    b"totals: 5\n")
    for data, cut in ((whole, False), (whole[:-10], True),
                      (whole.replace(b"callgrind-", b"x"), False),
                      (whole[:-10].replace(b"callgrind-", b"x"), False),
                      (whole.replace(b"callgrind-", b"xdebug "), True),
                      (whole.replace(b"callgrind-", b"xdebug ")
                       .replace(b"totals", b"summary"), False)):
        _, _, said = run("convert", "-t", "pstats", "-", "-o", "-", data=data)
        check(("cut off" in said) == cut,
              "Valgrind's parts and Xdebug's files end in their sum")


RUBY = b"""events: wall_time

fl=(1) a.rb
fn=(1) A#x
1 5
cfl=(1)
cfn=(2) A#y
calls=1 4
1 3

fl=(1)
fn=(2)
4 3
"""
YAPPI = b"""version: 1
creator: yappi
pid: 7
cmd:  a.py
part: 1

events: Ticks
fl=(1) a.py
fn=(1) x
fn=(2) y

fl=(1)
fn=(1)
1 5
cfl=(1)
cfn=(2)
calls=1 0
0 3

fl=(1)
fn=(2)
4 3"""


def check_open_end():
    """The last record of a file without an end marker is incomplete, or a
    record is missing: the file may be cut off, which is not a loss."""
    for whole in RUBY, YAPPI, YAPPI + b"\n":
        _, _, said = run("convert", "-t", "pstats", "-", "-o", "-", data=whole)
        check(said == "", f"a whole file is nothing to report: {said}")
        last = whole.rindex(b"fl=")
        for end in (last, whole.index(b"4 3"), whole.rindex(b"calls=") + 9):
            status, _, said = run("convert", "--strict", "-t", "pstats", "-",
                                  "-o", "-", data=whole[:end])
            check(status in (0, 4) and "may be cut off: " in said,
                  f"cut off at byte {end}: {said}")
    _, _, said = run("convert", "-t", "pstats", "-", "-o", "-",
                     data=YAPPI[:YAPPI.index(b"fn=")])
    check("may be cut off: functions that it" in said, "in the list of files")
    _, _, said = run("convert", "--strict", "-t", "pstats", "-", "-o", "-",
                     data=RUBY[:-1])
    check("may be cut off: its last line has no line end" in said,
          "a line without its end")
    _, _, said = run("convert", "-t", "pstats", "-", "-o", "-",
                     data=convert(RUBY, "callgrind")[:-10])
    check("recording cut off" in said, "ctprof's own files end in their sum")


def check_bad():
    for data, what in (
            (b"fn=f\n1 x\n1 5\n", "a cost that is no number"),
            (b"fn=f\ncalls=1 2\n\nfn=f\n1 5\n", "a call without a cost"),
            (b"fn=f\n-3 1\n+1 5\n", "a position below none"),
            (b"1 4\nfn=f\n1 5\n", "a cost before any function"),
            (b"fn=f\n1 99999999999999999999\n1 5\n", "a cost beyond counting"),
            (b"fn=f\nwhat\n1 5\n", "a line that is nothing")):
        status, out, said = run("convert", "-t", "pstats", "-", "-o", "-",
                                data=HEAD + data)
        check(status == 0 and "invalid events" in said and
              Profile(HEAD + data).times() == {"f": (5, 5)},
              f"{what} is counted")
    status, _, said = run("convert", "-t", "pstats", "-", "-o", "-",
                          data=HEAD + b"fn=f\n1 7\n\0\nfn=g\n1 8\n")
    check(status == 0 and "cut off" in said, "damage is said")


def main():
    check_samples(sys.argv[1])
    for seed in range(10):
        check_again(seed)
    check_circle()
    check_entry()
    check_grammar()
    check_places()
    check_units()
    check_end()
    check_open_end()
    check_events()
    check_kept()
    check_bad()
    data = data_directory()
    if data:
        for path in ("callgrind", "compare/callgrind/test"):
            check_oracle(data, "callgrind", "gprof2dot/" + path)
    finish()


if __name__ == "__main__":
    main()
