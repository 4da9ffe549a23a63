# SPDX-License-Identifier: MIT
"""
rank_traces.py FOLDER RANKS SLOW: writes a trace for each rank of a job, of
different sizes, with steps, kernels and collectives. The kernels of the rank
SLOW take longer.
"""
import json
import os
import sys

folder, ranks, slow = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])


def event(name, category, start, length, thread=1, **args):
    return {"ph": "X", "name": name, "cat": category, "pid": 0, "tid": thread,
            "ts": start, "dur": length, "args": args}


def kernel(name, start, length, stream, number, **args):
    return event(name, "kernel", start, length, stream, device=0,
                 stream=stream, correlation=number, **args)


def make_step(rank, step, start):
    work = 400 + 150 * (rank == slow) + (rank + step) % 4
    number = 2 * step + 1
    events = [event("cudaLaunchKernel", "cuda_runtime", start + 10 + 5 * at,
                    3, correlation=number + at) for at in (0, 1)]
    group = {"Collective name": "allreduce", "In msg nelems": 1000,
             "Out msg nelems": 1000, "dtype": "Float", "Seq": step,
             "Group size": ranks, "Process Group Name": "0",
             "Process Group Ranks": str(list(range(ranks)))}
    events += [
        event(f"ProfilerStep#{step}", "user_annotation", start, work + 80),
        event("aten::mm", "cpu_op", start + 5, 12),
        event(f"f{rank % 5}", "cpu_op", start + 25, 20 + rank % 3),
        kernel("gemm", start + 30, work, 7, number),
        kernel("ncclDevKernel_AllReduce", start + 30 + work,
               40 - 30 * (rank == slow), 20, number + 1, **group)]
    return events, start + work + 90


for rank in range(ranks):
    events, time = [], 1000 * (rank + 1)
    for step in range(6 + rank % 7):
        more, time = make_step(rank, step, time)
        events += more
    path = os.path.join(folder, f"rank{rank:02}.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"distributedInfo": {"rank": rank, "world_size": ranks},
                   "deviceProperties": [{"id": 0, "name": "NVIDIA H100"}],
                   "traceEvents": events}, file)
