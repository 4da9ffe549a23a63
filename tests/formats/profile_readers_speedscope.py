# SPDX-License-Identifier: MIT
"""speedscope's files give the same timeline as a few lines of Python with
decimal numbers."""
import decimal
import json
import os
import random
import sys

from checks import check, finish
from profile_readers_case import convert, data_directory, run

UNITS = {"nanoseconds": 0, "microseconds": 3, "milliseconds": 6,
         "seconds": 9, "none": 0, "bytes": 0}
SCHEMA = "https://www.speedscope.app/file-format-schema.json"


def load(text):
    return json.loads(text, parse_float=decimal.Decimal,
                      parse_int=decimal.Decimal)


def to_ns(value, unit):
    return int((value.scaleb(UNITS[unit])).quantize(
        decimal.Decimal(1), rounding=decimal.ROUND_HALF_UP))


def slices_of_events(profile):
    """(frame, begin, duration, depth) of each range, in ns."""
    unit, found, stack = profile["unit"], [], []
    for event in profile["events"]:
        at = to_ns(event["at"], unit)
        if event["type"] == "O":
            stack.append((int(event["frame"]), at))
        else:
            frame, begin = stack.pop()
            assert frame == int(event["frame"])
            found.append((frame, begin, at - begin, len(stack)))
    end = to_ns(profile["endValue"], unit)
    while stack:
        frame, begin = stack.pop()
        found.append((frame, begin, end - begin, len(stack)))
    return found


def slices_of_samples(profile):
    unit, found, stack = profile["unit"], [], []
    time = to_ns(profile["startValue"], unit)
    for sample, weight in zip(profile["samples"] + [[]],
                              profile["weights"] + [decimal.Decimal(0)]):
        same = 0
        while same < min(len(stack), len(sample)) and (
                stack[same][0] == int(sample[same])):
            same += 1
        while len(stack) > same:
            frame, begin = stack.pop()
            found.append((frame, begin, time - begin, len(stack)))
        stack.extend((int(frame), time) for frame in sample[same:])
        time += to_ns(weight, unit)
    return found


def expected(text):
    """The ranges of each profile, with names in place of frames."""
    file = load(text)
    frames = file["shared"]["frames"]
    return {number: sorted(
        (frames[frame]["name"], begin, duration) for frame, begin, duration, _
        in (slices_of_samples(profile) if profile["type"] == "sampled"
            else slices_of_events(profile)))
        for number, profile in enumerate(file["profiles"], 1)}


def found_in(trace):
    """The ranges of each thread, whole or in two halves."""
    found, begun = {}, {}
    for event in trace["traceEvents"]:
        if event["ph"] not in "XBE":
            continue
        at = to_ns(event["ts"], "microseconds")
        track = int(event["tid"])
        if event["ph"] == "X":
            found.setdefault(track, []).append(
                (event["name"], at, to_ns(event["dur"], "microseconds")))
        elif event["ph"] == "B":
            begun.setdefault(track, []).append((event["name"], at))
        else:
            name, begin = begun[track].pop()
            found.setdefault(track, []).append((name, begin, at - begin))
    return {track: sorted(ranges) for track, ranges in found.items()}


def check_text(text, name):
    trace = load(convert(text.encode(), "chrome"))
    wanted = {key: value for key, value in expected(text).items() if value}
    check(found_in(trace) == wanted, f"{name}: the same ranges")
    names = [event["args"]["name"] for event in trace["traceEvents"]
             if event["name"] == "thread_name"]
    check(names == [profile["name"] for profile in load(text)["profiles"]],
          f"{name}: a track for each profile")


def random_events(chance, unit):
    at = chance.choice((0, 1712345678901234567))
    digits = UNITS[unit]
    events, stack = [], []

    def text():
        whole, rest = divmod(at, 10 ** digits)
        return f"{whole}.{rest:0{digits}}" if digits else str(whole)

    for _ in range(60):
        at += chance.choice((0, 0, 1, 7, 1000003))
        if stack and chance.random() < .5:
            events.append(("C", stack.pop(), text()))
        else:
            stack.append(chance.randrange(5))
            events.append(("O", stack[-1], text()))
    return text, events


def random_profile(chance, number):
    unit = chance.choice(list(UNITS))
    members = [f'"name": "thread {number}"', f'"unit": "{unit}"']
    if chance.random() < .5:
        end, events = random_events(chance, unit)
        members += ['"type": "evented"', '"startValue": ' + events[0][2],
                    '"endValue": ' + end(), '"events": [' + ", ".join(
                        f'{{"type": "{kind}", "frame": {frame}, "at": {at}}}'
                        for kind, frame, at in events) + "]"]
    else:
        samples = [[chance.randrange(5) for _ in range(chance.randrange(4))]
                   for _ in range(40)]
        weights = [chance.choice(("0", "1", "2.5e-1", "17.125"))
                   for _ in samples]
        members += ['"type": "sampled"', '"startValue": -3', '"endValue": 0',
                    f'"samples": {samples}',
                    '"weights": [' + ", ".join(weights) + "]"]
    chance.shuffle(members)
    return "{" + ", ".join(members) + "}"


def random_file(seed):
    chance = random.Random(seed)
    frames = json.dumps([{"name": name, "file": "f.js", "line": 3, "col": 9}
                         for name in ("a", "b", "c\u00e9\n\"", "d", "")])
    members = [f'"$schema": "{SCHEMA}"', '"x": [[1, {"profiles": 2}]]',
               '"shared": {"frames": ' + frames + "}",
               '"profiles": [' + ", ".join(random_profile(chance, number)
                                           for number in range(3)) + "]"]
    chance.shuffle(members)
    return "{" + ", ".join(members) + "}"


def one(profile, frames='[{"name": "a"}, {"name": "b"}]'):
    return (f'{{"$schema": "{SCHEMA}", "shared": {{"frames": {frames}}}, '
            f'"profiles": [{profile}]}}').encode()


def evented(*events):
    return ('{"type": "evented", "name": "t", "unit": "nanoseconds", '
            '"startValue": 0, "endValue": 9, "events": [' + ", ".join(
                f'{{"type": "{kind}", "frame": {frame}, "at": {at}}}'
                for kind, frame, at in events) + "]}")


def check_said(data, words, wanted, what):
    status, out, said = run("convert", "-t", "folded", "-", "-o", "-",
                            data=data)
    if not check(status == 0 and words in said and out.decode() == wanted,
                 what):
        print("#", status, out, said)


def check_bad():
    check_said(one(evented(("O", 0, 1), ("O", 1, 2), ("C", 0, 5))),
               "invalid events", "a 1\na;b 3\n",
               "what is closed takes with it what is open in it")
    check_said(one(evented(("C", 1, 1), ("O", 0, 2), ("C", 0, 5))),
               "invalid events", "a 3\n", "what is not open is not closed")
    check_said(one(evented(("O", 0, 5), ("C", 0, 2), ("O", 1, 6),
                           ("C", 1, 8))),
               "back", "b 2\n", "time does not go back")
    check_said(one(evented(("O", 0, 0), ("O", 7, 1), ("C", 7, 2),
                           ("C", 0, 3))),
               "names are lost", "a 2\na;(frame 7) 1\n",
               "a frame that has no name")
    both = evented(("O", 0, 0), ("C", 0, 10 ** 18))
    samples = '"samples": [[1], [1]], "weights": [3, 4]'
    check_said(one(f"{both[:-1]}, {samples}}}"), "invalid events",
               f"a {10 ** 18}\n", "events come before samples")
    check_said(one(f"{{{samples}, {both[1:]}"), "invalid events",
               "b 7\n", "samples come before events")
    cut = one(evented(("O", 0, 0), ("C", 0, 2), ("O", 1, 3), ("C", 1, 4)))
    cut = cut[:cut.rindex(b'{"type"')]
    check_said(cut, "cut off", "b 6\na 2\n", "what was cut off")
    check_said(b'{"$schema": "' + SCHEMA.encode() + b'"}', "cut off", "",
               "a file without its profiles")
    status, _, said = run("convert", "-f", "speedscope", "-t", "folded", "-",
                          data=b'{"version": 1}')
    check(status == 3 and "no profiles" in said, "a file of something else")


def main():
    path = os.path.join(sys.argv[1], "two-sampled.speedscope.json")
    with open(path, encoding="utf-8") as file:
        text = file.read()
    check_text(text, "two-sampled")
    check(convert(b"\xef\xbb\xbf" + text.encode(), "folded") ==
          convert(text.encode(), "folded"), "a mark of UTF-8")
    for seed in range(20):
        check_text(random_file(seed), f"random {seed}")
    if data_directory():
        print("# the data has no other file of this kind")
    check_bad()
    finish()


if __name__ == "__main__":
    main()
