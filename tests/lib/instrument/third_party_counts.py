# SPDX-License-Identifier: MIT
"""Compares ctprof's counts of calls with those of another tool.

usage: third_party_counts.py PROGRAM callgrind|gcov|llvm

The working directory has stats.json, the output of `ctprof stats --json
--names=mangled` for a run of PROGRAM, and the file counts. That is callgrind's
file, made with --dump-instr=yes and without compression; or gcov's JSON, with
notes from gcov-dump; or the output of `llvm-profdata show --all-functions
--counts`.

Functions are identified by their address in PROGRAM, found by nm: a C++
constructor has several names for one address. Functions missing there are
inline functions of the C library, compiled into ours; they are identified by
name. Each function must have the same count on both sides; a function known to
one side only must have the count 0. A function that differs is printed, with
both counts.
"""
import collections
import json
import re
import subprocess
import sys

# Functions of the C library and the compiler, which were not instrumented:
# callgrind sees them run, but they call none of ours.
STARTUP = {"_start", "_init", "_fini", "frame_dummy", "register_tm_clones",
           "deregister_tm_clones", "__do_global_dtors_aux"}


class Program:
    """The functions of a program: their addresses and names."""

    def __init__(self, path):
        self.path = path
        self.addresses = {}
        self.names = collections.defaultdict(set)
        lines = subprocess.run(["nm", path], check=True, text=True,
                               stdout=subprocess.PIPE).stdout.splitlines()
        for line in lines:
            words = line.split()
            if len(words) == 3 and words[1] in "TtWwi":
                address = int(words[0], 16)
                if words[2] in self.addresses:
                    sys.exit("%s: two functions %s" % (path, words[2]))
                self.addresses[words[2]] = address
                self.names[address].add(words[2])

    def key(self, name):
        """The identity of a function: one of its names."""
        if name not in self.addresses:
            return name
        return min(self.names[self.addresses[name]])


def read_stats(program):
    with open("stats.json", encoding="utf-8") as file:
        report = json.load(file)
    if report["truncated"] or report["lost"]:
        sys.exit("the log is not whole: %s" % report["lost"])
    counts = collections.Counter()
    for row in report["rows"]:
        counts[program.key(row["name"])] += row["ncalls"]
    return counts


def read_callgrind(program):
    counts = collections.Counter()
    current = called = None
    with open("counts", encoding="utf-8") as file:
        for line in file:
            key, _, value = line.rstrip("\n").partition("=")
            if key == "ob":
                current = value
            elif key == "cob":
                called = value
            elif key == "calls":
                # calls=COUNT ADDRESS LINE; the object is cob= if that was
                # there, else ob=.
                words = value.split()
                names = program.names.get(int(words[1], 16), set())
                # Code without a name is the procedure linkage table.
                if (called or current) == program.path and names and \
                        not names & STARTUP:
                    counts[min(names)] += int(words[0])
                called = None
    return counts


def inlined_always(program):
    """Functions that callgrind cannot see even at -O0: nothing in the program
    calls them, since their attributes have them inlined everywhere."""
    code = subprocess.run(["objdump", "-d", "--no-show-raw-insn",
                           program.path], check=True, text=True,
                          stdout=subprocess.PIPE).stdout
    called = {int(target, 16) for target in
              re.findall(r"\tcall +([0-9a-f]+) <", code)}
    return {program.key(name) for name, address in program.addresses.items()
            if address not in called}


def read_gcov(program):
    counts = collections.Counter()
    with open("counts", encoding="utf-8") as file:
        for line in file:
            for source in json.loads(line)["files"]:
                for function in source["functions"]:
                    counts[program.key(function["name"])] += \
                        function["execution_count"]
    return counts


def made_by_gcc(program):
    """Functions that gcov does not list, and that cannot be compared: those
    without source, like an implicit copy constructor."""
    with open("notes", encoding="utf-8") as file:
        return {program.key(name) for name in
                re.findall(r"`(\S+)' .*, artificial\n", file.read())}


def read_llvm(program):
    counts = collections.Counter()
    name = None
    with open("counts", encoding="utf-8") as file:
        for line in file:
            if re.fullmatch(r"  \S+:\n", line):
                # A static function's name follows its file's.
                name = line.strip().rstrip(":").rpartition(":")[2]
            elif line.startswith("    Function count: "):
                counts[program.key(name)] += int(line.split(":")[1])
    return counts


def defined_elsewhere(program):
    """Functions for which newer LLVMs have no counters: inline functions of the
    C library that are compiled and defined in our program."""
    return {name for name in read_stats(program)
            if name not in program.addresses}


def main():
    readers = {"callgrind": read_callgrind, "gcov": read_gcov,
               "llvm": read_llvm}
    program = Program(sys.argv[1])
    method = sys.argv[2]
    ours = read_stats(program)
    theirs = readers[method](program)
    unseen = {"callgrind": inlined_always, "gcov": made_by_gcc,
              "llvm": defined_elsewhere}[method](program) - set(theirs)
    left_out = unseen & set(ours)
    for name in left_out:
        del ours[name]
    differ = [name for name in sorted(set(ours) | set(theirs))
              if ours[name] != theirs[name]]
    for name in differ:
        print("%s: %d calls recorded, %d counted by %s" %
              (name, ours[name], theirs[name], method))
    if differ or not ours:
        sys.exit("%d of %d functions differ" % (len(differ), len(ours)))
    print("%d functions, %d calls; %d that %s does not see" %
          (len(+ours), sum(ours.values()), len(left_out), method))


main()
