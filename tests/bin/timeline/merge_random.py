# SPDX-License-Identifier: MIT
"""Writes random traces like those of a job's ranks:

    merge_random.py SEED DIRECTORY

Their processes, streams and ids have equal numbers. All are written:
rank0.json, rank1.json, ...
"""
import json
import os
import random
import sys


class Rank:
    def __init__(self, chance, number):
        self.chance = chance
        self.number = number
        self.events = []
        self.now = chance.randrange(10**6)
        self.ids = chance.choice([1, 1000, 2**40, 2**60])
        self.streams = {}

    def step(self):
        self.now += self.chance.randrange(1, 5000)
        return self.now

    def add(self, phase, name, pid, tid, time, **more):
        self.events.append({"ph": phase, "name": name, "pid": pid, "tid": tid,
                            "ts": f"{time // 1000}.{time % 1000:03}", **more})

    def add_ids(self, kinds, pid, tid):
        number = self.ids + self.chance.randrange(4)
        number = self.chance.choice([number, hex(number)])
        for kind in kinds:
            self.add(kind, "wait" if kind in "be" else "arrow", pid, tid,
                     self.step(), id=number, cat="c")

    def add_call(self, pid, tid, begin):
        number = len(self.events) + 1
        self.add("X", "cudaLaunchKernel", pid, tid, begin, dur=0.5,
                 cat="cuda_runtime", args={"correlation": number})
        device, stream = self.chance.randrange(2), self.chance.randrange(7, 9)
        start = max(begin + 900, self.streams.get((device, stream), 0))
        length = self.chance.randrange(1, 3000)
        self.streams[device, stream] = start + length
        self.add("X", self.chance.choice(["gemm", "copy"]), device, stream,
                 start, dur=f"{length / 1000:.3f}", cat="kernel",
                 args={"correlation": number, "device": device,
                       "stream": stream, "context": 1})

    def add_slices(self, pid, tid, depth):
        begin = self.step()
        for _ in range(self.chance.randrange(4)):
            kind = self.chance.randrange(8)
            if kind < 2 and depth < 5:
                self.add_slices(pid, tid, depth + 1)
            elif kind < 4:
                self.add_call(pid, tid, self.step())
                self.now += 1000
            elif kind < 6:
                self.add_ids(self.chance.choice(["s", "t", "f", "be"]),
                             pid, tid)
            elif kind == 6:
                self.add("C", "load", pid, tid, self.step(),
                         args={"value": self.chance.randrange(100)})
            else:
                self.add("i", "now", pid, tid, self.step(), s="t")
        name = self.chance.choice(["a", "b", "aten::mm", "\u00fc;\\"])
        end = self.step()
        if self.chance.randrange(2):
            self.add("B", name, pid, tid, begin)
            self.add("E", name, pid, tid, end)
        else:
            self.add("X", name, pid, tid, begin,
                     dur=f"{(end - begin) / 1000:.3f}")

    def write(self, path):
        for _ in range(self.chance.randrange(1, 12)):
            # One at a time, so that each row nests.
            self.add_slices(self.chance.choice([1, 77, 4000000]),
                            self.chance.choice([1, 2]), 0)
        self.add("X", "once", 77, 3, self.step(), dur=1)
        self.add("M", "process_name", 1, 1, 0, args={"name": "python"})
        # In Kineto's order: begins come before the events inside them.
        self.events.sort(key=lambda event: float(event["ts"]))
        base = 1700000000 * 10**9 + self.chance.randrange(10**9)
        whole = {"baseTimeNanoseconds": base,
                 "distributedInfo": {"backend": "nccl", "rank": self.number},
                 "traceEvents": self.events}
        with open(path, "w", encoding="utf-8") as file:
            json.dump(whole, file)


def main():
    seed, directory = int(sys.argv[1]), sys.argv[2]
    chance = random.Random(seed)
    for number in range(chance.randrange(2, 6)):
        Rank(chance, number).write(
            os.path.join(directory, f"rank{number}.json"))


if __name__ == "__main__":
    main()
