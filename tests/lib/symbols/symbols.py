# SPDX-License-Identifier: MIT
"""Compares list_functions' output for a file with binutils.

    symbols.py OURS FILE [DEBUG_FILE]

OURS is the output of list_functions for FILE. With the file that has FILE's
DWARF, every function of symbols_program.cc must have the mangled and the
demangled name of readelf and c++filt for its address, and the line of
addr2line. Without it, all functions that readelf finds in FILE must have these
names and no line.
"""

import collections
import subprocess
import sys


def run(*command):
    return subprocess.run(command, check=True, text=True,
                          stdout=subprocess.PIPE).stdout


def lowest(path):
    """The lowest address of a loaded segment."""
    return min(int(line.split()[2], 16)
               for line in run("readelf", "-lW", path).splitlines()
               if line.split()[:1] == ["LOAD"])


def functions(path):
    """The sets of functions' names, by address."""
    names = collections.defaultdict(set)
    for line in run("readelf", "-sW", path).splitlines():
        words = line.split()
        if (len(words) >= 8 and words[3] in ("FUNC", "IFUNC") and
                words[6] != "UND"):
            names[int(words[1], 16)].add(words[7].split("@")[0])
    return names


def demangle(names):
    flat = sorted(set().union(*names.values()))
    output = subprocess.run(["c++filt"], input="\n".join(flat), check=True,
                            text=True, stdout=subprocess.PIPE).stdout
    plain = dict(zip(flat, output.splitlines()))
    return {a: {plain[n] for n in some} for a, some in names.items()}


def places(path, addresses):
    """"FILE:LINE" by address, from the table of lines."""
    output = run("addr2line", "-e", path, *map(hex, addresses))
    return dict(zip(addresses,
                    (line.split(" (")[0] for line in output.splitlines())))


def is_ours(names, place):
    """Not functions of the library or made by the compiler, which get arbitrary
    lines; nor a function that may begin with its second line."""
    return "symbols_program.cc:" in place and not any(
        n.startswith(("_GLOBAL__", "__cxx_global", "_Z41__", "_ZSt", "_ZNSt",
                      "_ZNKSt", "_ZN9__gnu", "_ZL4work")) or
        n.endswith(".cold") for n in names)


def main():
    path = sys.argv[2]
    other = sys.argv[3] if len(sys.argv) > 3 else None
    base = lowest(path)
    found = {}
    for line in open(sys.argv[1]):
        offset, mangled, file, number, name = line.rstrip("\n").split("\t")
        place = "%s:%s" % (file, number)
        found[base + int(offset, 16)] = (mangled, name, place)
    mangled = functions(other or path)
    demangled = demangle(mangled)
    expected = {a: ":0" for a in mangled}
    if other:
        expected = {a: place for a, place in places(other, mangled).items()
                    if is_ours(mangled[a], place)}
        # f.constprop.0 and f(int) [clone .constprop.0] are f by DWARF.
        mangled = {a: {n.split(".")[0] for n in names}
                   for a, names in mangled.items()}
        demangled = {a: {n.split(" [clone")[0].split(".")[0] for n in names}
                     for a, names in demangled.items()}
    wrong = 0
    for address, place in expected.items():
        ours = found.get(address, (None, None, None))
        if (ours[0] not in mangled[address] or
                ours[1] not in demangled[address] or ours[2] != place):
            print("%x: %s, not %s %s %s" % (
                address, ours, sorted(mangled[address]),
                sorted(demangled[address]), place))
            wrong += 1
    if len(expected) < 3:
        print("only %d functions are there" % len(expected))
        wrong += 1
    print("%d functions" % len(expected))
    return wrong != 0


sys.exit(main())
