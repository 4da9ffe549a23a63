# SPDX-License-Identifier: MIT
"""Inputs with keys chosen to collide in a hash table.

python hash_flood.py CTPROF DIRECTORY

A flood takes about as long as the same input with random keys, and no output
depends on the seed of the tables, which is random in each process.
"""
import json
import marshal
import os
import random
import resource
import struct
import subprocess
import sys

from checks import check, finish

MASK = (1 << 64) - 1
FACTOR = 0x100000001b3
COUNT = 30000
# A successful flood takes at least 20 times as long.
FACTOR_MAX = 5
FLOOR_S = 0.2
RUNS = 6


def unshift(result, shift):
    value = result
    for _ in range(shift, 64, shift):
        value = result ^ value >> shift
    return value


def unmix(value):
    for factor in 0xc4ceb9fe1a85ec53, 0xff51afd7ed558ccd:
        value = unshift(value, 33) * pow(factor, -1, 1 << 64) & MASK
    return unshift(value, 33)


def second_word(first, goal=unshift(unmix(5), 29)):
    """The rest of 16 bytes with equal stable_hash()."""
    state = ((0xcbf29ce484222325 ^ 16) ^ first) * FACTOR & MASK
    return state ^ state >> 29 ^ goal * pow(FACTOR, -1, 1 << 64) & MASK


def names_of(flood, chance):
    """Names of 16 bytes, without separators."""
    names = []
    number = 0
    while len(names) < COUNT:
        number += 1
        first = struct.unpack("<Q", b"f%07x" % number)[0]
        second = second_word(first) if flood else chance.getrandbits(64)
        name = struct.pack("<QQ", first, second)
        if not set(name) & set(b"\0\n\r\t ;"):
            names.append(name)
    return names


def folded(flood, chance):
    return b"".join(b"main;%s 1\n" % name for name in names_of(flood, chance))


def signed(word):
    return word - (1 << 64) if word >> 63 else word


def threads(flood, chance):
    """A trace in which each event has its own thread and process."""
    return json.dumps([
        {"ph": "X", "name": "f", "ts": i, "dur": 1, "pid": i,
         "tid": signed(second_word(i) if flood else chance.getrandbits(64))}
        for i in range(1, COUNT)]).encode()


def lines(flood, chance):
    """A profile whose functions differ only in their lines."""
    return marshal.dumps({
        ("a.py", i, "f") if flood else ("a.py", 1, "f%d" % i):
        (1, 1, 0.5, 0.5, {}) for i in range(COUNT)})


def devices(flood, chance):
    """GPU activities of one process, or each in a separate process."""
    del chance
    events = []
    for i in range(1, COUNT):
        pid = i if flood else 1
        events += [
            {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel",
             "ts": 10 * i, "dur": 2, "pid": pid, "tid": 1,
             "args": {"correlation": i}},
            {"ph": "X", "cat": "kernel", "name": "k", "ts": 10 * i + 3,
             "dur": 2, "pid": pid, "tid": 7,
             "args": {"correlation": i, "device": 0, "stream": 7}}]
    return json.dumps(events).encode()


def seconds(command):
    def spent():
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime

    before = spent()
    subprocess.run(command, check=True, timeout=300,
                   stdout=subprocess.DEVNULL)
    return spent() - before


def check_floods(ctprof, directory):
    convert = [ctprof, "convert", "-q", "-t", "pstats", "-o", os.devnull]
    for make, what, command in (
            (folded, "names", convert + ["-f", "folded"]),
            (threads, "threads", convert + ["-f", "chrome"]),
            (lines, "lines", [ctprof, "diff", "--match=line"]),
            (devices, "devices", [ctprof, "gaps"])):
        spent = {}
        for flood in False, True:
            path = os.path.join(directory, "%s-%d" % (what, flood))
            with open(path, "wb") as file:
                file.write(make(flood, random.Random(1)))
            paths = [path, path] if make is lines else [path]
            spent[flood] = seconds(command + paths)
        check(spent[True] < FACTOR_MAX * max(spent[False], FLOOR_S),
               "%s: %.2f s with random keys, %.2f s with a flood"
               % (what, spent[False], spent[True]))


def timeline(chance):
    """A trace with entries for every table."""
    events = []
    for i in range(3000):
        pid = chance.choice((1, 2, -7, 1 << 40))
        name = "name %d" % chance.randrange(700)
        event = {"name": name, "cat": "c%d" % chance.randrange(9),
                 "pid": pid, "tid": chance.randrange(12), "ts": 10 * i}
        kind = chance.choice("XXXXbesfC")
        event["ph"] = kind
        if kind == "X":
            event["dur"] = chance.randrange(200)
            event["args"] = {"key %d" % chance.randrange(90): i
                             for _ in range(chance.randrange(4))}
            if i % 50 == 0:
                event["args"] = {"many %d" % n: n for n in range(200)}
        elif kind == "C":
            event["args"] = {"value %d" % chance.randrange(5): i}
        else:
            event["id"] = chance.choice((chance.randrange(40), "0xabcdef012"))
        events.append(event)
        if kind == "X" and i % 7 == 0:
            events.append({
                "ph": "X", "name": "kernel %d" % chance.randrange(30),
                "cat": "kernel", "pid": 0, "tid": 7, "ts": 10 * i + 5,
                "dur": 4, "args": {"correlation": i, "device": 0,
                                   "stream": 7}})
            event.update(cat="cuda_runtime",
                         args={"correlation": i, "External id": i // 2})
    return json.dumps(events).encode()


def check_outputs(ctprof, directory):
    formats = json.loads(subprocess.run(
        [ctprof, "formats", "--json"], check=True,
        stdout=subprocess.PIPE).stdout)
    # The picture format runs other programs on the output of "dot".
    writers = [row["name"] for row in formats["rows"]
               if row["writes"] and row["name"] != "svg"]
    chance = random.Random(2)
    inputs = {"trace.json": timeline(chance),
              "other.json": timeline(chance),
              "stacks.folded": b"".join(
                  b"%s %d\n" % (b";".join(
                      b"f%d" % chance.randrange(400)
                      for _ in range(chance.randrange(1, 9))), i)
                  for i in range(1, 1500))}
    for name, data in inputs.items():
        with open(os.path.join(directory, name), "wb") as file:
            file.write(data)
    commands = [("convert to " + writer,
                 ["convert", "-t", writer, "trace.json"])
                for writer in writers]
    commands += [
        ("convert of stacks", ["convert", "-t", "pprof", "stacks.folded"]),
        ("merge", ["merge", "-t", "chrome", "--align=none",
                   "trace.json", "other.json"]),
        ("stats", ["stats", "-n0", "--callers", "trace.json"]),
        ("diff", ["diff", "trace.json", "other.json"]),
        ("info", ["info", "trace.json"])]
    for what, arguments in commands:
        outputs = set()
        for _ in range(RUNS):
            run = subprocess.run([ctprof] + arguments, cwd=directory,
                                 stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE)
            outputs.add((run.returncode, run.stdout, run.stderr))
        status, out, err = outputs.pop()
        check(not outputs and status == 0 and out != b"",
               "%s is the same with every seed" % what)
        if status != 0:
            print(err.decode())


if __name__ == "__main__":
    check_floods(sys.argv[1], sys.argv[2])
    check_outputs(sys.argv[1], sys.argv[2])
    finish()
