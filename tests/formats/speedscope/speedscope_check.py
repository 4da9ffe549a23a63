# SPDX-License-Identifier: MIT
"""Can speedscope read the file: keys and types of its schema, events in order
of time, every frame closed in order? And do calls and times match the same
log's statistics and Chrome trace?

    speedscope_check.py FILE.speedscope.json STATS.json FILE.json
"""
import collections
import decimal
import json
import sys

SCHEMA = "https://www.speedscope.app/file-format-schema.json"


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file, parse_float=decimal.Decimal)


def check_frame(frame):
    assert set(frame) <= {"name", "file", "line"}, frame
    assert isinstance(frame["name"], str)
    assert isinstance(frame.get("file", ""), str)
    assert frame.get("line", 1) >= 1
    return frame["name"], frame.get("file", ""), frame.get("line", 0)


def play(profile, frames):
    """(frame, start, duration, self time) of each call."""
    assert set(profile) == {
        "type", "name", "unit", "startValue", "endValue", "events"}
    assert profile["type"] == "evented" and profile["unit"] == "nanoseconds"
    assert isinstance(profile["name"], str)
    last = profile["startValue"]
    stack = []
    for event in profile["events"]:
        assert set(event) == {"type", "frame", "at"}
        assert isinstance(event["at"], int) and event["at"] >= last
        last = event["at"]
        assert 0 <= event["frame"] < len(frames)
        if event["type"] == "O":
            stack.append([event["frame"], last, 0])
            continue
        frame, start, inner = stack.pop()
        assert event["type"] == "C" and event["frame"] == frame
        if stack:
            stack[-1][2] += last - start
        yield frames[frame], start, last - start, last - start - inner
    assert not stack and last == profile["endValue"]


def read_chrome(path):
    """(name, start, duration) of each slice."""
    stacks = collections.defaultdict(list)
    for event in load(path)["traceEvents"]:
        row = (event["pid"], event["tid"])
        if event["ph"] == "X":
            yield (event["name"], nanoseconds(event["ts"]),
                   nanoseconds(event["dur"]))
        elif event["ph"] == "B":
            stacks[row].append(event)
        elif event["ph"] == "E":
            begun = stacks[row].pop()
            start = nanoseconds(begun["ts"])
            yield begun["name"], start, nanoseconds(event["ts"]) - start


def nanoseconds(value):
    return int(decimal.Decimal(value).scaleb(3).to_integral_exact())


def main():
    file = load(sys.argv[1])
    assert set(file) <= {"$schema", "exporter", "name", "shared", "profiles"}
    assert file["$schema"] == SCHEMA
    frames = [check_frame(frame) for frame in file["shared"]["frames"]]
    assert len(set(frames)) == len(frames)
    slices = []
    calls, own = collections.Counter(), collections.Counter()
    for profile in file["profiles"]:
        for frame, start, dur, self_time in play(profile, frames):
            slices.append((frame[0], start, dur))
            calls[frame] += 1
            own[frame] += self_time
    stats = load(sys.argv[2])["rows"]
    if all(not row["file"].startswith("<gpu:") for row in stats):
        for row in stats:
            key = (row["name"], row["file"], row["line"])
            assert calls[key] == row["ncalls"], (key, calls[key], row)
            assert own[key] == row["tottime_ns"], (key, own[key], row)
    theirs = list(read_chrome(sys.argv[3]))
    # If times are too large or negative, all are relative to the first.
    shift = min((start for _, start, _ in theirs), default=0) - min(
        (start for _, start, _ in slices), default=0)
    assert shift <= 0 or any(start > 1 << 52 for _, start, _ in theirs)
    ours = collections.Counter(
        (name, start + shift, dur) for name, start, dur in slices)
    theirs = collections.Counter(theirs)
    assert ours == theirs, (list((ours - theirs).items())[:5],
                            list((theirs - ours).items())[:5])
    print(f"{len(slices)} calls of {len(frames)} frames in "
          f"{len(file['profiles'])} profiles agree")


main()
