# SPDX-License-Identifier: MIT
"""Compares a pprof profile with the folded stacks and the functions' numbers
from the same log:

    pprof_read.py PROFILE.pb.gz FOLDED STATS.json
"""
import collections
import gzip
import json
import sys

import protobuf_read


def text(profile, number):
    return profile[6][number].decode()


def read(path):
    """Paths of (name, file, line), root first, with calls and time."""
    with gzip.open(path) as file:
        profile = protobuf_read.fields(file.read())
    assert profile[6][0] == b"", profile[6][0]
    types = [protobuf_read.fields(value) for value in profile[1]]
    assert [(text(profile, kind[1][0]), text(profile, kind[2][0]))
            for kind in types] == [
                ("calls", "count"), ("time", "nanoseconds")], types
    assert text(profile, profile[14][0]) == "time"
    functions = {}
    for value in profile[5]:
        function = protobuf_read.fields(value)
        assert function[1][0] not in functions and function[1][0] != 0
        functions[function[1][0]] = (
            text(profile, function[2][0]), text(profile, function[4][0]),
            function[5][0])
    locations = {}
    for value in profile[4]:
        location = protobuf_read.fields(value)
        line = protobuf_read.fields(location[4][0])
        assert location[1][0] not in locations and location[1][0] != 0
        function = functions[line[1][0]]
        assert function[2] == line[2][0]
        locations[location[1][0]] = function
    paths = collections.OrderedDict()
    for value in profile.get(2, []):
        sample = protobuf_read.fields(value)
        path = tuple(locations[number] for number in reversed(
            protobuf_read.packed(sample[1][0])))
        calls, time = protobuf_read.packed(sample[2][0])
        assert path not in paths, path
        paths[path] = (calls, time)
    return paths


def read_folded(path):
    times = collections.Counter()
    with open(path, encoding="utf-8") as file:
        for line in file:
            stack, time = line.rstrip("\n").rsplit(" ", 1)
            times[stack.count(";") + 1] += int(time)
    return times


def main():
    paths = read(sys.argv[1])
    times = collections.Counter()
    calls = collections.Counter()
    own = collections.Counter()
    for path, (count, time) in paths.items():
        times[len(path)] += time
        calls[path[-1]] += count
        own[path[-1]] += time
    assert +times == +read_folded(sys.argv[2]), (times, sys.argv[2])
    with open(sys.argv[3], encoding="utf-8") as file:
        functions = json.load(file)["rows"]
    # Deep in a recursion, calls have no name.
    deeper = ("(deeper)", "", 0)
    deeper_calls, deeper_time = calls.pop(deeper, 0), own.pop(deeper, 0)
    for function in functions:
        key = (function["name"], function["file"] or "", function["line"])
        calls[key] -= function["ncalls"]
        own[key] -= function["tottime_ns"]
        assert calls[key] <= 0 and own[key] <= 0, key
    assert sum(calls.values()) == -deeper_calls, calls
    assert sum(own.values()) == -deeper_time, own
    print(f"{len(paths)} paths of {len(functions)} functions agree")


main()
