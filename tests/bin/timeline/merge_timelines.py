# SPDX-License-Identifier: MIT
"""Checks that a merged Chrome trace has all of its inputs, on the right clock,
and apart from each other.

    merge_timelines.py MERGED.json ALIGN INPUT.json...

The inputs are in the order of their ranks, and ALIGN is the value of --align.
"""
import collections
import decimal
import sys

from checks import events_of, read_json

# Arrows from calls to their effects, which are written anew.
ARROWS = ("ac2g", "async_cpu_to_gpu", "async_gpu")


def nanoseconds(number):
    value = decimal.Decimal(number) * 1000
    return int(value.to_integral_value(decimal.ROUND_HALF_EVEN))


class Trace:
    """A Chrome trace; times in nanoseconds, otherwise unchanged."""

    def __init__(self, path):
        whole = read_json(path, parse_float=decimal.Decimal)
        events = events_of(whole)
        whole = {} if isinstance(whole, list) else whole
        self.base = int(whole.get("baseTimeNanoseconds", 0))
        self.facts = whole.get("otherData", {}).get("facts", {})
        self.devices = whole.get("deviceProperties", [])
        self.names, self.order = {}, {}
        self.slices, self.points = [], []
        self.arrows = collections.defaultdict(set)
        self.groups = collections.defaultdict(list)
        self.open = collections.defaultdict(list)
        for event in events:
            self.add(event)
        assert not any(self.open.values()), "a range is open"

    def add(self, event):
        phase, pid = event["ph"], event.get("pid")
        name, args = event.get("name"), event.get("args", {})
        if phase == "M":
            if name == "process_name":
                self.names[pid] = args["name"]
            if name == "process_sort_index":
                self.order[pid] = args["sort_index"]
            return
        time = nanoseconds(event["ts"])
        row = pid, event.get("tid")
        if phase == "X":
            self.slices.append(
                (pid, name, time, nanoseconds(event["dur"]), args, event))
        elif phase == "B":
            self.open[row].append((name, time, args, event))
        elif phase == "E":
            name, begin, more, event = self.open[row].pop()
            self.slices.append(
                (pid, name, begin, time - begin, {**more, **args}, event))
        elif phase in "stf" or phase in "be":
            if event.get("cat") in ARROWS:
                self.arrows[str(event["id"])].add(pid)
                return
            number = int(str(event["id"]), 0)
            kind = "flow" if phase in "stf" else "async"
            self.groups[kind, name, number].append((phase, time, pid))
        else:
            values = sorted((key, str(value)) for key, value in args.items()
                            if phase == "C")
            self.points.append((pid, phase == "C", name, time, str(values)))


def joined(slices):
    """The call of each effect, by correlation."""
    calls, works = collections.defaultdict(list), []
    for pid, name, time, _, args, event in slices:
        number = args.get("correlation", 0)
        if not isinstance(number, int) or number <= 0:
            continue
        if "stream" in args:
            works.append((number, name, time, pid))
        elif event.get("cat", "").startswith("cuda_"):
            calls[number].append((name, time, pid))
    return [(call, work) for work in works for call in calls[work[0]]]


class Input(Trace):
    """The expected events of an input in the merged trace, with their times
    there."""

    def expect(self, shift):
        def moved(time):
            return time + shift

        self.want_slices = collections.Counter(
            (name, moved(time), dur) for _, name, time, dur, _, _
            in self.slices)
        self.want_points = collections.Counter(
            (kind, name, moved(time), values)
            for _, kind, name, time, values in self.points)
        self.want_groups = collections.Counter(
            (key[0], key[1], tuple(sorted(
                (phase, moved(time)) for phase, time, _ in group)))
            for key, group in self.groups.items())
        self.want_joins = collections.Counter(
            (call[0], moved(call[1]), work[1], moved(work[2]))
            for call, work in joined(self.slices))


def label_of(name, labels):
    found = [label for label in labels
             if name == label or name.startswith(label + ": ")
             or name.startswith(label + " GPU ")]
    assert len(found) == 1, (name, found)
    return found[0]


def compare(what, label, got, want):
    for key, count in (got - want).items():
        sys.exit(f"{label}: {what}: {count} too many of {key}")
    for key, count in (want - got).items():
        sys.exit(f"{label}: {what}: {count} missing of {key}")


def check(merged, inputs, labels):
    owner = {pid: label_of(name, labels)
             for pid, name in merged.names.items()}
    got = {label: [collections.Counter() for _ in range(4)]
           for label in labels}
    for pid, name, time, dur, _, _ in merged.slices:
        got[owner[pid]][0][name, time, dur] += 1
    for pid, kind, name, time, values in merged.points:
        got[owner[pid]][1][kind, name, time, values] += 1
    for key, group in merged.groups.items():
        owners = {owner[pid] for _, _, pid in group}
        assert len(owners) == 1, (key, owners)
        got[owners.pop()][2][key[0], key[1], tuple(sorted(
            (phase, time) for phase, time, _ in group))] += 1
    for call, work in joined(merged.slices):
        assert owner[call[2]] == owner[work[3]], (call, work)
        got[owner[call[2]]][3][call[0], call[1], work[1], work[2]] += 1
    for label, of in zip(labels, inputs):
        slices, points, groups, joins = got[label]
        compare("slices", label, slices, of.want_slices)
        compare("points", label, points, of.want_points)
        compare("ids", label, groups, of.want_groups)
        compare("correlations", label, joins, of.want_joins)
    for number, pids in merged.arrows.items():
        assert len({owner[pid] for pid in pids}) == 1, (number, pids)
    # Viewers show ranks in order.
    shown = [owner[pid] for pid in sorted(
        merged.order, key=lambda pid: merged.order[pid])]
    assert [label for i, label in enumerate(shown)
            if i == 0 or shown[i - 1] != label] == [
                label for label in labels if label in shown], shown


def collectives(of):
    """The ends of collectives, by group and name, or also by number."""
    ends = collections.defaultdict(list)
    for _, name, time, dur, args, event in of.slices:
        known = args.get("Collective name")
        if event.get("cat") != "kernel" or not name.startswith("nccl") or (
                "SendRecv" in name if known is None
                else known in ("send", "recv")):
            continue
        ends[args.get("Process Group Name"), known or name,
             args.get("Seq")].append(time + dur)
    return {(key, len(times), at): time for key, times in ends.items()
            for at, time in enumerate(sorted(times))}


def median_shift(first, of):
    mine, others = collectives(of), collectives(first)
    apart = sorted(others[key] - mine[key] for key in mine if key in others)
    return apart[len(apart) // 2]


def first_time(of, name):
    return min(begin for _, called, begin, _, _, _ in of.slices
               if called == name)


def find_shifts(merged, inputs, align):
    if align == "wall":
        bases = [of.base for of in inputs if of.base != 0]
        start = min(begin for of in inputs for _, _, begin, *_ in of.slices)
        base = min(bases, default=start // 10**9 * 10**9)
        assert merged.base == base, merged.base
        return [of.base - merged.base for of in inputs]
    if align == "none":
        return [0] * len(inputs)
    assert merged.base == inputs[0].base, merged.base
    if align == "collective":
        return [median_shift(inputs[0], of) for of in inputs]
    return [first_time(inputs[0], align) - first_time(of, align)
            for of in inputs]


def main():
    merged = Trace(sys.argv[1])
    inputs = [Input(path) for path in sys.argv[3:]]
    labels = [key[:-len(" shift_ns")] for key in merged.facts
              if key.endswith(" shift_ns")]
    shifts = find_shifts(merged, inputs, sys.argv[2])
    assert len(inputs) == len(labels) == len(shifts), (labels, shifts)
    for of, shift, label in zip(inputs, shifts, labels):
        assert merged.facts[f"{label} shift_ns"] == str(shift), (
            label, merged.facts[f"{label} shift_ns"], shift)
        of.expect(shift)
    check(merged, inputs, labels)
    assert merged.facts["merged"] == str(len(inputs))
    print(f"{len(merged.slices)} slices, {len(merged.groups)} ids, "
          f"{len(joined(merged.slices))} correlations")


if __name__ == "__main__":
    main()
