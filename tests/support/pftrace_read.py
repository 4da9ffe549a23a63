# SPDX-License-Identifier: MIT
"""Reads a Perfetto trace by Perfetto's rules, and compares it with the Chrome
trace made from the same log:

    pftrace_read.py FILE.pftrace FILE.json
    pftrace_read.py --show FILE.pftrace
"""
import collections
import decimal
import json
import struct
import sys

from protobuf_read import fields, items, signed

BEGIN, END, INSTANT, COUNTER = 1, 2, 3, 4
OWN_CLOCK = 64
DEPTH_SHOWN = 512

# Arguments that each writer adds to a slice in its own way.
WRITERS_OWN = {
    "file", "line", "category", "External id", "correlation", "device",
    "context", "stream", "bytes", "memory bandwidth (GB/s)", "queued",
    "blocks per SM", "warps per SM", "est. achieved occupancy %"}

Slice = collections.namedtuple("Slice", "name time dur category place args")


class Trace:
    """Slices, instants, counters, arrows and tracks of a file."""

    def __init__(self, path):
        self.names = {1: {}, 2: {}, 3: {}, 29: {}}
        self.places = {}
        self.tracks = {}
        self.metadata = {}
        self.slices = []
        self.open = []
        self.instants = []
        self.counters = []
        self.flows = collections.defaultdict(list)
        self.correlations = collections.defaultdict(list)
        self.origin = None
        events = []
        with open(path, "rb") as file:
            data = file.read()
        for number, packet in items(data):
            assert number == 1, number
            event = self.read_packet(fields(packet))
            if event is not None:
                events.append(event)
        # Python's sort is stable, as Perfetto's is.
        events.sort(key=lambda event: event[0])
        self.replay(events)

    def read_packet(self, packet):
        assert packet[10] == [1] and len(packet[13]) == 1, packet
        if packet[13] == [1]:
            assert self.origin is None
            assert fields(packet[59][0])[58] == [OWN_CLOCK]
            snapshot = fields(packet[6][0])
            clocks = {fields(clock)[1][0]: fields(clock)[2][0]
                      for clock in snapshot[1]}
            assert clocks.pop(OWN_CLOCK) == 0
            (self.clock, self.origin), = clocks.items()
            assert snapshot[2] == [self.clock] and self.clock in (1, 6)
            return None
        assert packet[13] == [2] and self.origin is not None
        for interned in packet.get(12, []):
            self.read_interned(interned)
        for descriptor in packet.get(60, []):
            self.read_descriptor(fields(descriptor))
        for bundle in packet.get(5, []):
            for item in fields(bundle)[2]:
                item = fields(item)
                value = item[2][0].decode() if 2 in item else item[4][0]
                self.metadata[item[1][0].decode()] = value
        if 11 not in packet:
            return None
        time = signed(packet[8][0])
        assert time >= 0
        if packet.get(58, [OWN_CLOCK]) != [OWN_CLOCK]:
            assert packet[58] == [self.clock]
            time -= self.origin
        return time, fields(packet[11][0])

    def read_interned(self, interned):
        for number, value in items(interned):
            entry = fields(value)
            iid = entry[1][0]
            assert iid != 0
            if number == 4:
                assert iid not in self.places
                self.places[iid] = (entry[2][0].decode(), entry[4][0])
            else:
                assert iid not in self.names[number], (number, iid)
                self.names[number][iid] = entry[2][0].decode()

    def read_descriptor(self, descriptor):
        uuid = descriptor[1][0]
        assert uuid != 0
        track = {"name": descriptor[2][0].decode(),
                 "parent": descriptor.get(5, [0])[0],
                 "is_counter": 8 in descriptor}
        for number, key in (3, "process"), (4, "thread"):
            if number in descriptor:
                value = fields(descriptor[number][0])
                track[key] = tuple(value[n][0] for n in (1, 2) if n in value)
                assert all(0 < n < 1 << 31 for n in track[key])
        if uuid in self.tracks:
            assert track["parent"] == self.tracks[uuid]["parent"]
        self.tracks[uuid] = track
        assert track["parent"] == 0 or track["parent"] in self.tracks

    def annotation(self, entry, depth=0):
        """The name and value of a debug annotation."""
        entry = fields(entry)
        assert depth <= 32
        name = None
        if 1 in entry:
            name = self.names[3][entry[1][0]]
        elif 10 in entry:
            name = entry[10][0].decode()
        value = None
        if 2 in entry:
            value = bool(entry[2][0])
        elif 3 in entry:
            value = entry[3][0]
        elif 4 in entry:
            value = signed(entry[4][0])
        elif 5 in entry:
            value, = struct.unpack("<d", entry[5][0])
        elif 6 in entry:
            value = entry[6][0].decode()
        elif 17 in entry:
            value = self.names[29][entry[17][0]]
        elif 11 in entry:
            value = dict(self.annotation(child, depth + 1)
                         for child in entry[11])
        elif 12 in entry:
            value = [self.annotation(child, depth + 1)[1]
                     for child in entry[12]]
        return name, value

    def args(self, event):
        return dict(self.annotation(entry) for entry in event.get(4, []))

    def name(self, event):
        if 23 in event:
            return event[23][0].decode()
        return self.names[2][event[10][0]]

    def about(self, event):
        """The properties of a slice at its begin, and of an instant."""
        category = None
        if 3 in event:
            category = self.names[1][event[3][0]]
        place = ("", 0)
        if 34 in event:
            place = self.places[event[34][0]]
        return self.name(event), category, place, self.args(event)

    def replay(self, events):
        stacks = collections.defaultdict(list)
        for time, event in events:
            kind = event[9][0]
            uuid = event[11][0]
            track = self.tracks[uuid]
            assert track["is_counter"] == (kind == COUNTER)
            if kind == COUNTER:
                if 30 in event:
                    value = signed(event[30][0])
                else:
                    value, = struct.unpack("<d", event[44][0])
                self.counters.append((track["name"], time, value))
                continue
            if kind == BEGIN:
                stacks[uuid].append([time, event, self.about(event), uuid])
                assert len(stacks[uuid]) <= DEPTH_SHOWN
            elif kind == END:
                start, begun, about, _ = stacks[uuid].pop()
                name, category, place, args = about
                args.update(self.args(event))
                self.slices.append((uuid, Slice(
                    name, start, time - start, category, place, args)))
                if 52 in begun or 52 in event:
                    self.correlations[(begun if 52 in begun else event)
                                      [52][0]].append(name)
            else:
                name, category, place, args = self.about(event)
                if 47 not in event and 48 not in event:
                    self.instants.append(Slice(
                        name, time, None, category, place, args))
            if kind != END:
                for flow in event.get(47, []) + event.get(48, []):
                    self.flows[flow].append(self.name(event))
        for uuid, stack in stacks.items():
            self.open += [(uuid, entry[2][0]) for entry in stack]


def nanoseconds(text):
    return int(decimal.Decimal(text).scaleb(3).to_integral_exact())


def read_chrome(path):
    """The same for a Chrome trace."""
    with open(path, encoding="utf-8") as file:
        trace = json.load(file, parse_float=decimal.Decimal)
    stacks = collections.defaultdict(list)
    slices, instants, counters, asyncs = [], [], [], []

    def add(event, dur, args, to):
        place = (args.get("file", ""), args.get("line", 0))
        to.append(Slice(event["name"], nanoseconds(event["ts"]), dur,
                        event.get("cat"), place, args))

    for event in trace["traceEvents"]:
        row = (event["pid"], event["tid"])
        args = event.get("args", {})
        if event["ph"] == "X":
            add(event, nanoseconds(event["dur"]), args, slices)
        elif event["ph"] == "B":
            stacks[row].append(event)
        elif event["ph"] == "E":
            begun = stacks[row].pop()
            args = {**begun.get("args", {}), **args}
            add(begun, nanoseconds(event["ts"]) - nanoseconds(begun["ts"]),
                args, slices)
        elif event["ph"] == "i":
            add(event, None, args, instants)
        elif event["ph"] == "C":
            (part, value), = args.items()
            name = event["name"]
            if part not in (name, "bytes"):
                name = f"{name} {part}"
            counters.append((name, nanoseconds(event["ts"]), value))
        elif event["ph"] in "be":
            asyncs.append(event)
    return slices, instants, counters, asyncs


def plain(value):
    """As text, so that it can be sorted and compared."""
    if isinstance(value, decimal.Decimal):
        value = float(value)
    if isinstance(value, float) and value != value:
        value = "NaN"
    if value == [] or value == {}:
        value = json.dumps(value)  # readers would not see it otherwise
    if value is None:
        value = "null"
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [plain(item) for item in value]
    return value


def key(slice_):
    args = {name: plain(value) for name, value in slice_.args.items()
            if name not in WRITERS_OWN}
    # An argument of the program replaces the site's.
    place = (slice_.args.get("file", slice_.place[0]),
             slice_.args.get("line", slice_.place[1]))
    return (slice_.name, slice_.time, slice_.dur, place,
            json.dumps(args, sort_keys=True))


def compare(what, ours, theirs):
    ours, theirs = collections.Counter(ours), collections.Counter(theirs)
    assert ours == theirs, (
        what, list((ours - theirs).items())[:5],
        list((theirs - ours).items())[:5])


def main():
    ours = Trace(sys.argv[-1] if sys.argv[1] == "--show" else sys.argv[1])
    if sys.argv[1] == "--show":
        show(ours)
        return
    slices, instants, counters, asyncs = read_chrome(sys.argv[2])
    ranges = collections.Counter(
        (event["name"], event["id"]) for event in asyncs
        if event["ph"] == "b")
    ended = collections.Counter(
        (event["name"], event["id"]) for event in asyncs
        if event["ph"] == "e")
    both = sum((ranges & ended).values())
    compare("slices", [key(slice_) for uuid, slice_ in ours.slices
                       if uuid >> 63 == 0], [key(s) for s in slices])
    assert sum(uuid >> 63 for uuid, _ in ours.slices) == both
    assert len(ours.open) == sum(ranges.values()) - both
    assert all(uuid >> 63 for uuid, _ in ours.open)
    compare("instants", [(s.name, s.time) for s in ours.instants],
            [(s.name, s.time) for s in instants])
    compare("counters", ours.counters, [
        (name, time, plain(value)) for name, time, value in counters])
    print(f"{len(ours.slices)} slices, {len(ours.instants)} instants, "
          f"{len(ours.counters)} values of counters, "
          f"{len(ours.tracks)} tracks agree")


def show(ours):
    for uuid, track in sorted(ours.tracks.items()):
        print("track", uuid, sorted(track.items()))
    for name in sorted(ours.metadata):
        print("metadata", name, ours.metadata[name])
    for uuid, slice_ in ours.slices:
        print("slice", uuid, *slice_)
    for slice_ in ours.instants:
        print("instant", *slice_)
    for counter in ours.counters:
        print("counter", *counter)
    for flow in ours.flows.values():
        print("flow", *flow)
    for number in sorted(ours.correlations):
        print("correlation", number, *ours.correlations[number])


if __name__ == "__main__":
    main()
