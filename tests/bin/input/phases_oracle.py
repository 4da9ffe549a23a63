# SPDX-License-Identifier: MIT
"""Times by phase, the slow way: each interval between two events is examined
separately, with all ranges that are open then."""
import collections
import json
import re

from checks import micro

UNKNOWN, IDLE = "(unknown)", "(idle)"

# Times are in nanoseconds. Among ranges that begin together, the outer one
# comes first in a list; among asynchronous ones, the first in the file.
Range = collections.namedtuple(
    "Range", "tid start end name file category is_async",
    defaults=("", "x", False))


def glob(text):
    """A pattern of rules as a regular expression."""
    parts = re.findall(r"\\.|.", text, re.DOTALL)
    return re.compile("".join(
        ".*" if part == "*" else re.escape(part[-1]) for part in parts),
        re.DOTALL)


class Rules:
    def __init__(self, text):
        self.phases = []
        self.rules = []
        phase, limits = None, {}
        for line in text.splitlines():
            line = line.strip()
            if not line or line.startswith("#"):
                continue
            key, value = line.split(None, 1)
            if key == "phase":
                phase, limits = value, {}
                if phase not in self.phases:
                    self.phases.append(phase)
            elif key in ("name", "again", "async"):
                self.rules.append((phase, key, glob(value), dict(limits)))
            else:
                limits[key] = glob(value)

    def find(self, one, around=None):
        """The phase that it begins, given the thread's current phase."""
        for phase, word, name, limits in self.rules:
            if ((word == "async") == one.is_async and
                    name.fullmatch(one.name) and
                    all(limit.fullmatch(getattr(one, key))
                        for key, limit in limits.items())):
                return None if word == "again" and phase == around else phase
        return None


def innermost(active, begun):
    for number in reversed(active):
        if begun[number] is not None:
            return begun[number]
    return UNKNOWN if active else IDLE


def count_thread(rules, ranges):
    """{phase: [count, self, total]} of a thread's ranges."""
    begun = [rules.find(one) for one in ranges]
    # Asynchronous ranges without a rule are ignored.
    known = [i for i, one in enumerate(ranges)
             if not one.is_async or begun[i] is not None]
    known.sort(key=lambda i: (ranges[i].start, -ranges[i].end, i))
    for place, i in enumerate(known):
        around = innermost([other for other in known[:place]
                            if ranges[other].end > ranges[i].start], begun)
        begun[i] = rules.find(ranges[i], around)
    sums = collections.defaultdict(lambda: [0, 0, 0])
    for i in known:
        if begun[i] is not None:
            sums[begun[i]][0] += 1
    times = sorted({ranges[i].start for i in known} |
                   {ranges[i].end for i in known})
    for start, end in zip(times, times[1:]):
        active = [i for i in known
                  if ranges[i].start <= start and ranges[i].end >= end]
        sums[innermost(active, begun)][1] += end - start
        for phase in {begun[i] for i in active if begun[i] is not None}:
            sums[phase][2] += end - start
    for rest in (UNKNOWN, IDLE):
        if sums[rest][1] == 0:
            del sums[rest]
        else:
            sums[rest][2] = sums[rest][1]
    return {phase: tuple(sums[phase]) for phase in sums}


def count(rules, ranges):
    """The same for all threads, and for each."""
    threads = collections.defaultdict(list)
    for one in ranges:
        threads[one.tid].append(one)
    by_thread = {tid: count_thread(rules, threads[tid]) for tid in threads
                 if any(not one.is_async or rules.find(one)
                        for one in threads[tid])}
    sums = collections.defaultdict(lambda: (0, 0, 0))
    for times in by_thread.values():
        for phase, figures in times.items():
            sums[phase] = tuple(map(sum, zip(sums[phase], figures)))
    return dict(sums), by_thread


def event(one, number):
    """The lines of a Chrome trace for a range."""
    head = '"pid":1,"tid":%d,"cat":%s,"name":%s' % (
        one.tid, json.dumps(one.category), json.dumps(
            f"{one.file}(7): {one.name}" if one.file else one.name))
    if one.is_async:
        return ['{"ph":"%s","id":%d,"ts":%s,%s}' % (
            ph, number, micro(ts), head)
            for ph, ts in (("b", one.start), ("e", one.end))]
    return ['{"ph":"X","ts":%s,"dur":%s,%s}' % (
        micro(one.start), micro(one.end - one.start), head)]


def write(path, ranges):
    lines = [line for number, one in enumerate(ranges)
             for line in event(one, number)]
    with open(path, "w", encoding="utf-8") as out:
        out.write('{"traceEvents":[\n%s\n]}\n' % ",\n".join(lines))
