# SPDX-License-Identifier: MIT
"""Compares the calls that ctprof counted with what another tool counted.

usage: third_party_counts.py PROGRAM callgrind|gcov|llvm

In the working directory, stats.json is what `ctprof stats --json
--names=mangled` says about a run of PROGRAM, and counts is callgrind's file,
made with --dump-instr=yes and without compression; or gcov's JSON, with notes
from gcov-dump; or what `llvm-profdata show --all-functions --counts` prints.

Functions are told apart by their address in PROGRAM, found by nm: a C++
constructor has several names for one place. Those that are not in it are
inline functions of the C library, compiled into ours: they go by name. Each
function must have the same count on both sides, and one that only one side
knows must have none. A function that differs is printed, with both counts.
"""
import collections
import json
import re
import subprocess
import sys

# From the C library and the compiler, which were not compiled by us: callgrind
# sees them run, and nothing in them calls us.
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
        """What stands for a function: one name of all that it has."""
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
                # calls=COUNT ADDRESS LINE; cob= was there if it is not ob=.
                words = value.split()
                names = program.names.get(int(words[1], 16), set())
                # What has no name is the procedure linkage table.
                if (called or current) == program.path and names and \
                        not names & STARTUP:
                    counts[min(names)] += int(words[0])
                called = None
    return counts


def inlined_always(program):
    """What callgrind cannot see even at -O0: functions that nothing in the
    program calls, as their attributes have them inlined wherever they are."""
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
    """What gcov does not list, and so cannot be compared: functions that stand
    in no source, like a copy constructor that was not written."""
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
    """What newer LLVMs have no counters for: inline functions of the C library
    that are compiled into ours, and defined there."""
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
