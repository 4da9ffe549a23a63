# SPDX-License-Identifier: MIT
"""Random programs that use devices, as traces in Kineto's form."""
import json

from checks import micro


class Trace:
    """Slices of threads and of devices, in Kineto's form."""

    def __init__(self):
        self.host = []      # (start, end, tid, name, category, id)
        self.work = []      # (start, end, device, stream, name, category, id)

    def write(self, path):
        events = []
        for start, end, tid, name, category, number in self.host:
            args = {"correlation": number} if number else {}
            events.append((start, start - end, category, name, 1, tid, end,
                           args))
        for start, end, device, stream, name, category, number in self.work:
            args = {"device": device, "stream": stream, "context": 1}
            if number:
                args["correlation"] = number
            events.append((start, start - end, category, name, device, stream,
                           end, args))
        lines = []
        for start, _, category, name, pid, tid, end, args in events:
            lines.append('{"ph":"X","cat":%s,"name":%s,"pid":%d,"tid":%d,'
                         '"ts":%s,"dur":%s,"args":%s}' %
                         (json.dumps(category), json.dumps(name), pid, tid,
                          micro(start), micro(end - start), json.dumps(args)))
        with open(path, "w", encoding="ascii") as out:
            out.write('{"schemaVersion":1,"deviceProperties":[{"id":0,"name":'
                      '"A"},{"id":1,"name":"B"}],"traceEvents":[\n')
            out.write(",\n".join(lines))
            out.write("\n]}\n")


OPS = ("aten::mm", "aten::add", "forward", "step",
       "enumerate(DataLoader)#next", "train.py(12): main")


class Program:
    """Threads that launch, on devices whose streams run in order."""

    def __init__(self, chance):
        self.chance = chance
        self.trace = Trace()
        self.number = 0
        self.streams = {}
        self.starts = set()

    def run_on_device(self, launched):
        chance = self.chance
        device = chance.randrange(2)
        stream = chance.randrange(2)
        start = max(launched + chance.randrange(1, 400),
                    self.streams.get((device, stream), 0))
        while (device, start) in self.starts:
            start += 1
        self.starts.add((device, start))
        end = start + chance.choice((0, 5, 50, 300, 2000))
        self.streams[device, stream] = end + chance.choice((0, 1, 100))
        return start, end, device, stream

    def launch(self, time, tid):
        chance = self.chance
        self.number += 1
        kind = chance.randrange(10)
        name, what, count = "cudaLaunchKernel", "kernel", 1
        if kind == 0:
            name, what = "cudaMemcpyAsync", "gpu_memcpy"
        elif kind == 1:
            name, count = "cudaGraphLaunch", chance.randrange(1, 6)
        elif kind == 2:
            count = 0
        end = time + chance.randrange(1, 60)
        self.trace.host.append((time, end, tid, name, "cuda_runtime",
                                self.number))
        for i in range(count):
            start, stop, device, stream = self.run_on_device(time)
            number = 0 if chance.random() < 0.03 else self.number
            title = ("kernel_0", "kernel_1",
                     "ncclDevKernel_AllReduce_2")[chance.randrange(3)]
            if what == "gpu_memcpy":
                title = "Memcpy HtoD (Pinned -> Device)"
            self.trace.work.append((start, stop, device, stream, title, what,
                                    number))
        return end

    def call(self, time, tid, depth):
        chance = self.chance
        begun = time
        time += chance.randrange(1, 50)
        for _ in range(chance.randrange(4)):
            if chance.random() < 0.4 and depth < 4:
                time = self.call(time, tid, depth + 1)
            elif chance.random() < 0.8:
                time = self.launch(time, tid)
            else:
                name = chance.choice(("cudaDeviceSynchronize", "cudaMemcpy",
                                      "cudaMalloc", "cudaStreamSynchronize"))
                end = time + chance.randrange(1, 3000)
                self.trace.host.append((time, end, tid, name, "cuda_runtime",
                                        0))
                time = end
            time += chance.randrange(0, 300)
        self.trace.host.append((begun, time, tid, chance.choice(OPS),
                                "cpu_op", 0))
        return time + chance.randrange(1, 900)

    def make(self):
        for tid in (1, 2):
            time = self.chance.randrange(1, 500)
            for _ in range(self.chance.randrange(1, 6)):
                time = self.call(time, tid, 0)
        return self.trace
