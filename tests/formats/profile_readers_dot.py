# SPDX-License-Identifier: MIT
"""Compares gprof2dot's graph of a file with ctprof's profile. gprof2dot
identifies functions by name only, so ours are summed by name. In cycles it
guesses, so there only self times and calls are compared."""
import collections
import gzip
import os
import re

from checks import check
from profile_readers_case import Profile

NAME = r'("(?:[^"\\]|\\.)*"|[^\s"\[]+)'
NUMBER = re.compile(r"\(?\d+\.\d+%\)?|\d+\u00d7")
ROUNDING = 0.0101


def unquoted(text):
    return text[1:-1].replace('\\"', '"') if text.startswith('"') else text


def label_of(line):
    label = re.search(r'label=("(?:[^"\\]|\\.)*")', line)
    return unquoted(label[1]).split("\\n") if label else []


def shares(label):
    return [float(part.strip("()%")) for part in label if "%" in part and
            NUMBER.fullmatch(part)]


def read_dot(path):
    """Nodes (total, self) and edges (total) in percent, by name."""
    names, nodes, edges = {}, {}, {}
    with gzip.open(path, "rt", encoding="utf-8") as file:
        lines = file.read().splitlines()
    for line in lines:
        label = label_of(line)
        arrow = re.match(rf"\t{NAME} -> {NAME} \[", line)
        node = re.match(rf"\t{NAME} \[", line)
        if arrow:
            edges[unquoted(arrow[1]), unquoted(arrow[2])] = shares(label)
        elif node and label:
            names[unquoted(node[1])] = [
                part for part in label if not NUMBER.fullmatch(part)][-1]
            nodes[names[unquoted(node[1])]] = shares(label)
    return nodes, {(names[a], names[b]): share
                   for (a, b), share in edges.items()}


def reached(calls, start):
    seen, todo = set(), [start]
    while todo:
        for callee in calls[todo.pop()]:
            if callee not in seen:
                seen.add(callee)
                todo.append(callee)
    return seen


def circles(profile):
    """The functions that reach themselves."""
    calls = collections.defaultdict(set)
    for caller, callee in profile.edges:
        if caller is not None:
            calls[caller].add(callee)
    return {name for name in profile.functions if name in reached(calls, name)}


def check_file(oracle, path, seconds=0):
    """`seconds`: the rounding of a file's times."""
    name = os.path.basename(path)
    profile = Profile(path)
    nodes, edges = read_dot(oracle)
    whole = sum(cost[2] for cost in profile.functions.values())
    if whole == 0:
        check(set(nodes) == set(profile.functions), f"{name}: functions")
        return
    tolerance = ROUNDING + 100 * seconds * 1e9 / whole

    def near(found, wanted):
        return abs(found - wanted) <= tolerance

    total = {key: 100 * cost[3] / whole
             for key, cost in profile.functions.items()}
    own = {key: 100 * cost[2] / whole
           for key, cost in profile.functions.items()}
    inside = circles(profile)
    wrong = [key for key, share in nodes.items()
             if key not in own or not near(own[key], share[1])]
    check(not wrong, f"{name}: own times of {len(nodes)} functions {wrong}")
    wrong = [(key, total[key], share[0]) for key, share in nodes.items()
             if key in total and key not in inside and
             not near(total[key], share[0])]
    check(not wrong, f"{name}: total times {wrong}")
    wrong = [key for key, share in total.items()
             if key not in inside and share > .5 + tolerance and key not in nodes]
    check(not wrong, f"{name}: no function is missing there {wrong}")
    wrong = [(pair, share) for pair, share in edges.items()
             if share and pair[0] not in inside and pair[1] not in inside and
             not (pair in profile.edges and
                  near(100 * profile.edges[pair][3] / whole, share[0]))]
    check(not wrong, f"{name}: times of {len(edges)} calls {wrong}")
    wrong = [pair for pair, share in edges.items() if pair not in
             profile.edges]
    check(not wrong, f"{name}: all calls {wrong}")


def check_oracle(data, kind, directory, seconds=0):
    """All files of a data directory with an expected result."""
    for name in sorted(os.listdir(os.path.join(data, directory))):
        oracle = os.path.join(data, "oracle", f"{kind}_{name}.dot.gz")
        check_file(oracle, os.path.join(data, directory, name), seconds)
