# SPDX-License-Identifier: MIT
"""Flame graphs agree with folded stacks, drawn to scale, are always within 2
MB, and are valid XML for any names.

usage: flame_check.py CTPROF INPUT...
"""
import collections
import os
import random
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

from checks import check, finish

SVG = "{http://www.w3.org/2000/svg}"
MOST_BYTES = 2_000_000
WIDTH, EDGE, ROW, LETTER = 1180, 10, 17, 6.7


def convert(source, to, *options):
    """ctprof's output for a file, or for bytes on its standard input."""
    data = source if isinstance(source, bytes) else None
    path = "-" if data is not None else source
    return subprocess.run(
        [sys.argv[1], "convert", "-q", "-t", to, "-o", "-", *options, path],
        input=data, check=True, stdout=subprocess.PIPE).stdout


class Frame:
    """A box and its path of names."""

    def __init__(self, element, graph, parent):
        rect = element.find(SVG + "rect")
        text = element.find(SVG + "text")
        self.title = element.find(SVG + "title").text.split("\n")
        self.name = self.title[0]
        self.text = None if text is None else text.text
        self.depth = int(element.get("data-d"))
        self.total = int(element.get("data-t"))
        self.own = int(element.get("data-s"))
        self.function = element.get("data-f")
        self.css = rect.get("class").split()
        self.x = float(rect.get("x")) - EDGE
        self.width = float(rect.get("width"))
        self.row = (int(rect.get("y")) - int(graph.get("data-y"))) / ROW
        self.parent = parent
        self.within = 0
        self.start = 0 if parent is None else parent.start + parent.within
        self.path = () if parent is None else parent.path + (self.name,)


class Graph:
    def __init__(self, element):
        self.name = element.get("data-name")
        self.words = "".join(element.find(SVG + "text").itertext())
        self.frames = []
        path = {}
        for child in element.findall(SVG + "g"):
            depth = int(child.get("data-d"))
            frame = Frame(child, element, path.get(depth - 1))
            if frame.parent is not None:
                frame.parent.within += frame.total
            path[depth] = frame
            self.frames.append(frame)
        self.root = self.frames[0]

    def is_to_scale(self):
        """Each box is at its time, and no time is lost."""
        scale = WIDTH / (self.root.total or 1)
        for frame in self.frames:
            if frame.total != frame.own + frame.within and frame.total:
                return False
            if abs(frame.x - frame.start * scale) > 0.011 or \
                    abs(frame.width - frame.total * scale) > 0.021 or \
                    frame.row != frame.depth:
                return False
        return True

    def has_text_within(self):
        return all(frame.text is None or
                   len(frame.text) * LETTER <= frame.width and
                   is_short_for(frame.text, frame.name)
                   for frame in self.frames)

    def stacks(self):
        stacks = collections.Counter()
        for frame in self.frames:
            if frame.own:
                stacks[frame.path] += frame.own
        return stacks


def is_short_for(text, name):
    """C++ names may lose bracketed parts and scopes."""
    if text == name or text[-1] == "\u2026" and name.startswith(text[:-1]):
        return True
    signs = iter(name)
    return "::" in name and all(sign in signs for sign in text.strip("\u2026"))


def graphs_of(svg):
    root = ElementTree.fromstring(svg)
    return [Graph(element) for element in root.findall(SVG + "g")
            if element.get("class") == "graph"]


def folded_stacks(text):
    stacks = collections.Counter()
    for line in text.decode().splitlines():
        stack, count = line.rsplit(" ", 1)
        stacks[tuple(stack.split(";"))] += int(count)
    return stacks


def cut(stack):
    """Names as drawn: at most 240 characters."""
    return tuple(name if len(name) <= 240 else name[:239] + "\u2026"
                 for name in stack)


def check_input(path):
    name = path.rsplit("/", 1)[-1]
    svg = convert(path, "flamegraph")
    graphs = graphs_of(svg)
    check(len(svg) <= MOST_BYTES and svg == convert(path, "flamegraph"),
          f"{name}: not too large, and the same bytes each time")
    check(all(graph.is_to_scale() for graph in graphs),
          f"{name}: drawn to scale")
    check(all(graph.has_text_within() for graph in graphs),
          f"{name}: names are within their boxes")
    drawn = collections.Counter()
    for graph in graphs:
        for stack, time in graph.stacks().items():
            drawn[tuple(part.replace(";", ":") for part in stack)] += time
    folded = collections.Counter()
    for stack, time in folded_stacks(convert(path, "folded")).items():
        folded[cut(stack)] += time
    check(drawn == folded,
          f"{name}: the stacks and times of folded")
    return graphs


def check_trace(path):
    """Device activities have a separate graph."""
    graphs = check_input(path)
    check([graph.name for graph in graphs] == ["host time", "device time"],
          "a trace with a device: two graphs")
    works = [frame for frame in graphs[-1].frames if frame.own]
    check(works and all(set(frame.css) & {"kernel", "copy", "set"}
                        for frame in works),
          "a trace with a device: what takes its time is its work")
    [graph] = graphs_of(convert(path, "flamegraph", "--device=device"))
    check(graph.name == "device time" and
          graph.stacks() == graphs[1].stacks(),
          "a trace with a device: the device alone")
    [graph] = graphs_of(convert(path, "flamegraph", "--device=host"))
    check(graph.name == "host time" and graph.stacks() == graphs[0].stacks(),
          "a trace with a device: the host alone")


def check_large():
    chance = random.Random(1)
    lines = []
    for _ in range(9000):
        stack = [f"module{chance.randrange(40)}::function_of_some_length_"
                 f"{chance.randrange(1000)}" for _ in range(10)]
        lines.append(";".join(stack) + f" {chance.randrange(1, 10**6)}")
    data = "\n".join(lines).encode()
    svg = convert(data, "flamegraph")
    [graph] = graphs_of(svg)
    check(MOST_BYTES * 0.8 < len(svg) <= MOST_BYTES,
          f"a large tree fills its file: {len(svg)} bytes")
    check(graph.is_to_scale(), "a large tree: no time is lost")
    check(graph.root.total == sum(folded_stacks(data).values()),
          "a large tree: all of the time")
    shown = [frame for frame in graph.frames if frame.function is not None]
    others = [frame for frame in graph.frames
              if frame.function is None and frame is not graph.root]
    folded = sum(int(frame.title[1].split()[0]) for frame in others)
    paths = {stack[:i + 1] for stack in folded_stacks(data)
             for i in range(len(stack))}
    check(len(shown) + folded == len(paths) and
          f"the longest {len(shown)} are shown" in graph.words,
          "a large tree: says what it folded")
    times = collections.Counter()
    for stack, time in folded_stacks(data).items():
        for i in range(len(stack)):
            times[stack[:i + 1]] += time
    least = min(frame.total for frame in shown)
    check(all(times[frame.path] == frame.total for frame in shown) and
          sum(time > least for time in times.values()) <= len(shown),
          "a large tree: the longest are shown")


def color_of(before, now):
    """The class of a change by this share of the longer time."""
    # To the nearest hundredth of a percent.
    most = max(before, now)
    part = (10000 * abs(now - before) + most // 2) // most
    level = sum(part >= least for least in (100, 300, 1000, 2500, 5000))
    return ("more" if now > before else "less") + str(level) \
        if level else "same"


def totals_of(text):
    totals = collections.Counter()
    for stack, time in folded_stacks(text).items():
        for i in range(len(stack) + 1):
            totals[stack[:i]] += time
    return totals


def check_diff():
    """Colours compare a path on both sides, widths show the new one."""
    chance = random.Random(2)
    sides = []
    for _ in range(2):
        lines = {";".join(chance.choice("abcdef") for _ in range(
            chance.randrange(1, 5))): chance.randrange(1, 400)
            for _ in range(150)}
        sides.append("".join(f"{stack} {time}\n"
                             for stack, time in lines.items()).encode())
    with tempfile.TemporaryDirectory() as work:
        paths = [os.path.join(work, name) for name in ("a.folded", "b.folded")]
        for path, text in zip(paths, sides):
            with open(path, "wb") as file:
                file.write(text)
        out = os.path.join(work, "d.svg")
        subprocess.run([sys.argv[1], "diff", "-q", "--svg", out, *paths],
                       check=True, stdout=subprocess.DEVNULL)
        with open(out, "rb") as file:
            [graph] = graphs_of(file.read())
    before, now = map(totals_of, sides)
    check(graph.is_to_scale() and
          {frame.path: frame.total for frame in graph.frames} == now,
          "a difference: widths are of the new side")
    check(all(frame.css == [color_of(before[frame.path], frame.total)]
              for frame in graph.frames) and
          len({frame.css[0] for frame in graph.frames}) > 8,
          "a difference: colours are of the change")
    gone = before.keys() - now.keys()
    check(gone and f"gone: {len(gone)} call paths" in graph.words,
          "a difference: what is gone is counted")


def own_times(stacks):
    times = collections.Counter()
    for stack, time in stacks.items():
        times[stack[-1]] += time
    return times


def check_estimate():
    """Call paths of a profile that has only callers."""
    chance = random.Random(3)
    stacks = collections.Counter()
    for _ in range(200):
        path = sorted(chance.sample("bcdefghijk", chance.randrange(1, 6)))
        stacks[("a", *path)] += chance.randrange(10**6, 10**8)
    text = "".join(f"{';'.join(stack)} {time}\n"
                   for stack, time in stacks.items()).encode()
    pstats = convert(text, "pstats")
    svg = convert(pstats, "flamegraph")
    [graph] = graphs_of(svg)
    drawn, own = own_times(graph.stacks()), own_times(stacks)
    check(b"Call paths are estimated from callers." in svg and
          b"estimated" not in convert(text, "flamegraph"),
          "estimated paths: the picture says so, and only then")
    check(graph.is_to_scale() and graph.root.total == stacks.total(),
          "estimated paths: all of the time")
    check(drawn.keys() == own.keys() and
          all(abs(drawn[name] - own[name]) < 0.01 * stacks.total()
              for name in own),
          "estimated paths: functions have their own times")
    firsts = collections.Counter()
    for stack, time in stacks.items():
        firsts[stack[:2]] += time
    once = [frame for frame in graph.frames
            if frame.depth == 2 and frame.name == "b"]
    check([firsts[frame.path] for frame in once] ==
          [frame.total for frame in once] != [],
          "estimated paths: those with one caller are exact")
    done = subprocess.run([sys.argv[1], "convert", "-t", "folded", "-"],
                          input=pstats, capture_output=True, check=False)
    check(done.returncode == 3 and b"; -t flamegraph estimates" in done.stderr,
          "estimated paths: only for pictures")


def check_hard():
    deep = b";".join([b"f"] * 100000) + b" 5\n"
    [graph] = graphs_of(convert(deep, "flamegraph", "--from=folded"))
    check(len(graph.frames) == 514 and graph.is_to_scale() and
          graph.frames[-1].name == "(other)",
          "a stack of 100,000 frames")
    long = b"x" * (1 << 20) + b";" + "\u4e2d".encode() * 300000 + b" 7\n"
    svg = convert(long, "flamegraph", "--from=folded")
    check(len(svg) < 30000 and graphs_of(svg)[0].stacks().total() == 7,
          "names of a megabyte are cut")
    names = [b"]]>", b"<script>alert(1)</script>", b"&amp\"'", b"\xff\xfe",
             b"\x01\x1b[31m", "\u202e\uffff".encode(), b"]]" * 50 + b">"]
    svg = convert(b";".join(names) + b" 9\n", "flamegraph", "--from=folded")
    [graph] = graphs_of(svg)
    check([frame.name for frame in graph.frames[1:]] ==
          ["]]>", "<script>alert(1)</script>", "&amp\"'", "\\xff\\xfe",
           "\\u0001\\u001b[31m", "\\u202e\\uffff", "]]" * 50 + ">"],
          "names that are no XML")
    check(b"http://www.w3.org/" in svg and svg.count(b"http") == 3,
          "nothing is fetched")
    trace = b'[{"ph":"i","ts":1,"pid":1,"tid":1,"name":"x"}]'
    [graph] = graphs_of(convert(trace, "flamegraph"))
    check(len(graph.frames) == 1 and "nothing to show" in graph.words,
          "without any time a sentence says so")


def main():
    for path in sys.argv[2:-1]:
        check_input(path)
    check_trace(sys.argv[-1])
    check_large()
    check_diff()
    check_estimate()
    check_hard()
    finish()


main()
