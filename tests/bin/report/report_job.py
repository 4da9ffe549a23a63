# SPDX-License-Identifier: MIT
"""Makes the traces of a job: a file for each rank, as PyTorch's profiler
writes them. Rank SLOW computes longer than others, which wait for it."""
import json
import os

SLOW = 5
# Hostile names.
HOSTS = [b"<script>alert(1)<!--", "a\u2028b'\"&lt;".encode(), b"bad\xff\xfe"]
STEP_US = 1000


def events_of(rank, hidden_us):
    work = 300 + rank % 7 + 200 * (rank == SLOW)
    end = 700
    kernels = [("gemm", 7, 100, work, {}),
               ("Memcpy HtoD (Pinned -> Device)", 7, 20, 30, {}),
               ("ncclDevKernel_AllReduce_Sum_f32_RING_LL", 20,
                100 + work - hidden_us, end - 100 - work + hidden_us,
                {"Collective name": "allreduce", "In msg nelems": 1024,
                 "Out msg nelems": 1024, "dtype": "Float",
                 "Process Group Name": "0", "Group size": 8, "Seq": 1})]
    events = [{"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#1",
               "pid": 1, "tid": 1, "ts": 0, "dur": STEP_US},
              {"ph": "X", "cat": "cpu_op", "name": "forward", "pid": 1,
               "tid": 1, "ts": 5, "dur": 600}]
    for i, (name, stream, start, length, args) in enumerate(kernels):
        events.append({"ph": "X", "cat": "cuda_runtime",
                       "name": "cudaLaunchKernel", "pid": 1, "tid": 1,
                       "ts": 6 + i, "dur": 1, "args": {"correlation": i + 1}})
        events.append({"ph": "X", "pid": 0, "tid": stream, "ts": start,
                       "cat": "gpu_memcpy" if "Memcpy" in name else "kernel",
                       "name": name, "dur": length, "args": {
                           "device": 0, "stream": stream,
                           "correlation": i + 1, **args}})
    return events


def make(directory, ranks, hosts):
    """`hosts` are names as bytes, each of which has as many ranks in turn."""
    os.makedirs(directory)
    each = -(-ranks // len(hosts))
    for rank in range(ranks):
        name = hosts[rank // each] + b"_%d.1.pt.trace.json" % (rank + 1)
        info = {"backend": "nccl", "rank": rank, "world_size": ranks}
        with open(os.path.join(os.fsencode(directory), name), "w",
                  encoding="utf-8") as file:
            json.dump({"schemaVersion": 1, "distributedInfo": info,
                       "deviceProperties": [{"id": 0, "name": "NVIDIA X"}],
                       "traceEvents": events_of(rank, 10 + rank % 3)}, file)
