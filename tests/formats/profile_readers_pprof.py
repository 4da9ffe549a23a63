# SPDX-License-Identifier: MIT
"""pprof profiles are read with the same results as a few lines of Python."""
import collections
import gzip
import os
import sys

import protobuf_read
from pprof_write import by_chance, data, kind, number, packed, simple, Strings
from checks import check, finish
from profile_readers_case import Profile, convert, run


def stacks_of(folded):
    stacks = {}
    for line in folded.decode().splitlines():
        stack, time = line.rsplit(" ", 1)
        stacks[tuple(stack.split(";"))] = int(time)
    return stacks


def numbers(values):
    """Values of a repeated field, packed or not."""
    found = []
    for value in values:
        found += protobuf_read.packed(value) if isinstance(
            value, bytes) else [value]
    return found


def stacks_in(content):
    """The same for the last value of a profile without inlined functions."""
    profile = protobuf_read.fields(content)
    names = {}
    for value in profile[5]:
        function = protobuf_read.fields(value)
        names[function[1][0]] = profile[6][function[2][0]].decode()
    places = {}
    for value in profile[4]:
        location = protobuf_read.fields(value)
        line = protobuf_read.fields(location[4][0])
        places[location[1][0]] = names[line[1][0]]
    stacks = collections.Counter()
    for value in profile[2]:
        sample = protobuf_read.fields(value)
        path = tuple(places[each] for each in reversed(numbers(sample[1])))
        stacks[path] += numbers(sample[2])[-1]
    return stacks


def read(content, *options):
    """Status, output as folded stacks, messages."""
    return run("convert", "-t", "folded", "--from=pprof", *options, "-", "-o",
               "-", data=content)


def check_real(path):
    with gzip.open(path) as file:
        content = file.read()
    check(stacks_of(convert(path, "folded")) == stacks_in(content),
          "Go's own profile")
    check(convert(content, "folded") == convert(path, "folded"),
          "the same without gzip, by its content")
    status, out, _ = run("info", path)
    out = out.decode()
    check(status == 0 and "2018-09-16 20:47:43.468834518 UTC" in out and
          "cpu (nanoseconds)\n" in out and
          "samples (count), cpu (nanoseconds)\n" in out and
          "cpu (nanoseconds): 10000000\n" in out, "what it says of itself")


def without_file(stacks):
    """Frames of the same name include their file."""
    return {tuple(name.split(" (lib.so")[0] for name in path): time
            for path, time in stacks.items()}


def check_chance():
    for seed in range(24):
        content, stacks = by_chance(seed)
        status, out, said = read(content)
        found = without_file(stacks_of(out))
        if not check(status == 0 and found == {
                path: time for path, time in stacks.items() if time},
                f"fields in any order, {seed}"):
            print(said)
    status, _, said = read(by_chance(1)[0], "-v")
    check("30 sums, call arrows" in said, "labels are counted")


def check_values():
    stacks = [(("a", "b"), (1, 20, 300)), (("a",), (4, 50, 600))]
    for types, usual, column, scale in (
            ((("n", "count"), ("t", "ns"), ("b", "bytes")), None, 1, 1),
            ((("n", "s"), ("t", "ms"), ("b", "bytes")), None, 1, 10 ** 6),
            ((("n", "count"), ("t", "k"), ("b", "bytes")), None, 2, 1),
            ((("n", "count"), ("t", "ns"), ("b", "us")), "n", 0, 1),
            ((("n", "seconds"), ("t", "ns"), ("b", "us")), "n", 0, 10 ** 9),
            ((("n", "count"), ("t", "ns"), ("b", "bytes")), "none", 1, 1)):
        _, out, _ = read(simple(stacks, types, usual))
        check(stacks_of(out) == {path: values[column] * scale
                                 for path, values in stacks},
              f"the value of {types} {usual}")
    content = simple(stacks, (("n", "count"), ("t", "ns"), ("b", "us")), "n")
    _, out, _ = read(content, "--events=b")
    check(stacks_of(out) == {path: values[2] * 1000
                             for path, values in stacks}, "--events=b")
    status, _, said = read(content, "--events=x")
    check(status == 3 and "no event 'x'" in said, "a value that is missing")
    status, out, said = read(simple([(("a",), (5,)), (("b",), (-5,)),
                                     (("c",), ())]))
    check(status == 0 and out == b"a 5\n" and "2 invalid events" in said,
          "values that are negative or not there")
    most = (1 << 63) - 1
    status, out, said = read(simple([(("a",), (most,)), (("b",), (7,))]))
    check(stacks_of(out) == {("a",): most} and "1 invalid events" in said,
          "times beyond counting are cut, and counted")
    status, out, said = read(simple([(("a",), (most // 9,))],
                                    (("t", "seconds"),)))
    check(stacks_of(out) == {("a",): most} and "1 invalid events" in said,
          "so are those that their unit makes so long")


def check_calls():
    profile = Profile(simple([(("a", "b", "a"), (5,)), (("a", "b"), (2,)),
                              (("a", "b"), (1,))]))
    check(profile.functions == {"a": (2, 1, 5, 8), "b": (1, 1, 3, 8)},
          "a recursion: times count once, a path is one call")
    types = (("calls", "count"), ("time", "nanoseconds"))
    content = simple([(("a", "b", "a"), (3, 5)), (("a", "b"), (4, 2)),
                      (("a", "b"), (1, 0)), (("a",), (2, 1))], types)
    profile = Profile(content)
    check(profile.functions == {"a": (5, 2, 6, 8), "b": (5, 5, 2, 7)},
          "calls that are known")
    check(profile.edges == {
        ("a", "b"): (5, 5, 2, 7), ("b", "a"): (3, 3, 5, 5),
        (None, "a"): (2, 2, 1, 8)}, "and of edges")
    again = convert(convert(content, "pprof"), "pstats")
    check(again == convert(content, "pstats"), "written and read: the same")
    most = (1 << 63) - 1
    _, out, said = run("stats", "-", data=simple(
        [(("a",), (most, 1)), (("b",), (most, 1))], types))
    check("2 invalid events" in said, "calls beyond counting")


def check_names():
    strings = Strings()
    function = (number(1, 1) + number(2, strings["ns::f<int>(int)"]) +
                number(3, strings["_ZN2ns1fIiEEvT_"]) +
                number(4, strings["f.cc"]) + number(5, 12))
    content = (data(1, kind(strings, "t", "ns")) +
               data(2, packed(1, [1]) + packed(2, [5])) +
               data(2, packed(2, [7])) +
               data(4, number(1, 1) + data(4, number(1, 1))) +
               data(5, function) + b"".join(strings.fields()))
    for names, wanted in (("full", "ns::f<int>(int)"), ("short", "ns::f"),
                          ("mangled", "_ZN2ns1fIiEEvT_")):
        _, out, _ = read(content, f"--names={names}")
        check(stacks_of(out) == {(wanted,): 5, ("(location 0)",): 7},
              f"{names} names, and a sample without a stack")
    status, out, _ = run("stats", "--csv", "-", data=content)
    check(b"f.cc,12" in out, "files and first lines")
    mapped = (data(1, kind(Strings(), "", "")) + data(6, b"") +
              data(6, b"lib.so") + data(3, number(1, 4) + number(5, 1)) +
              data(4, number(1, 1) + number(2, 4) + number(3, 0xabc)) +
              data(2, packed(1, [1]) + packed(2, [5])))
    status, out, _ = run("stats", "--csv", "-", data=mapped)
    check(b"0xabc,lib.so" in out, "addresses, in the file that was mapped")
    status, out, said = read(simple([(("a\0b", "c" * 70000), (1,))]), "-v")
    [path] = stacks_of(out)
    check(path[0] == "a\ufffdb" and path[1] == "c" * 65536 and
          "names or arguments truncated" in said, "zero bytes, and long names")


def check_bad():
    content = simple([(("a", "b"), (3,)), (("c",), (5,))])
    first = content.index(data(2, packed(1, [2, 1]))[2:]) + 7
    for end in range(1, len(content)):
        status, out, said = read(content[:end])
        check("byte " in said and status == 3 if end < first else
              status == 0 and ("recording cut off" in said or
                               "names are lost" in said) and
              sum(stacks_of(out).values()) in (3, 8), f"cut off at byte {end}")
    status, out, said = read(content[:-1])
    check(status == 0 and "byte " in said and len(stacks_of(out)) == 2,
          "what is cut off is used, and said with the place")
    status, out, said = read(content + b"\x0b")
    check(status == 0 and out == read(content)[1] and
          f"byte {len(content)}: is not a protocol buffer field" in said, "a group")
    status, out, said = read(content + b"\x12\xff\xff\xff\xff\xff\x01")
    check(status == 0 and "is not a protocol buffer field" in said, "a size beyond all bounds")
    status, out, said = read(content + b"\x08" + b"\xff" * 10)
    check(status == 0 and "is not a protocol buffer field" in said, "a number without an end")
    for wrong in (b"\x12\x02\x0a\x05", b"\x12\x03\x0a\x01\x80",
                  b"\x22\x02\x08\xff", b"\x2a\x01\x00", b"\x10\x01"):
        status, out, said = read(content + wrong)
        check(status == 0 and out == read(content)[1] and
              "1 invalid events" in said, f"a message that is none: {wrong}")
    twice = content + data(5, number(1, 1) + number(2, 2))
    status, out, said = read(twice)
    check(out == read(content)[1] and "1 invalid events" in said,
          "of two functions of one number the first counts")
    for nothing in (b"\x50\x01", b"\x0b", b"\x12"):
        status, _, said = read(nothing)
        check(status == 3, f"{nothing} is refused: {said.strip()}")


def check_large():
    content = simple([(("f",) * 300000, (5,))])
    profile = Profile(content)
    check(profile.functions == {"f": (300000, 1, 5, 5)},
          "a stack of 300,000 frames")
    lines = data(4, number(1, 1)) * 300
    strings = Strings()
    content = (data(1, kind(strings, "t", "ns")) +
               data(2, packed(1, [1]) + packed(2, [5])) +
               data(4, number(1, 1) + lines) +
               data(5, number(1, 1) + number(2, strings["f"])) +
               b"".join(strings.fields()))
    _, out, said = run("stats", "--csv", "-", data=content)
    check(b",256,1,5,5\n" in out and "44 invalid events" in said,
          "functions inlined into each other beyond all bounds")


def check_probe():
    for content in (b"\n\n\x08ab\n", b'"(a b;c 5\n', b"2:this is text 5\n",
                    b"* \x20a b c d e f g h i j k l m n o 5\n",
                    b"HaHaHaHa;b 5\n", b"\x0a\x06\x08\x01\x12\x02ab"):
        status, _, said = run("convert", "-t", "pstats", "-v", "-", "-o",
                              os.devnull, data=content)
        check("pprof" not in said, f"{content} is not taken for one")
    content = simple([(("a",), (5,))])
    names = content.index(b"\x32\x00")
    check(convert(content[names:] + content[:names], "folded") == b"a 5\n",
          "strings may come first")
    for size in range(4085, 4100):
        sample = number(1, 1) + number(2, 7)
        sample += data(3, bytes(size - names - len(sample) - 6))
        late = content[:names] + data(2, sample) + content[names:]
        check(late[size:size + 2] == b"\x32\x00" and
              convert(late, "folded") == b"a 12\n",
              f"strings from byte {size} on, where a look may end")


def main():
    check_real(os.path.join(sys.argv[1], "simple.prof"))
    check_chance()
    check_values()
    check_calls()
    check_names()
    check_bad()
    check_large()
    check_probe()
    for name in ("simple.txt", "recursion.txt"):
        path = os.path.join(sys.argv[1], name)
        check(convert(convert(path, "pprof"), "folded") ==
              convert(path, "folded"), f"{name}: folded, pprof, folded")
    finish()


main()
