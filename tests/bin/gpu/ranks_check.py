#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes the traces of a job whose rank 11 computes slowly and compares ctprof
ranks with a recomputation from the numbers that the traces were made of.

    ranks_check.py CTPROF DIRECTORY
"""
import csv
import gzip
import io
import json
import os
import random
import sys

from checks import equal, finish, output

WORK = sys.argv[2]
RANKS, STEPS, SLOW = 16, 3, 11
OPS = (("allreduce", "all_reduce", "Float", 4, 1024, 2),
       ("_allgather_base", "all_gather", "BFloat16", 2, 4096, 1),
       ("broadcast", "broadcast", "Long", 8, 16, 0))


def number(ns):
    return f"{ns // 1000}.{ns % 1000:03d}"


class Rank:
    """The events of a rank; times are nanoseconds."""

    def __init__(self, rank, described, chance):
        self.rank, self.described = rank, described
        self.events = []
        self.kernels = {}       # name: own time
        self.functions = {}     # name: [own time, with callees]
        self.compute = self.exposed = self.comm = self.copies = 0
        self.steps, self.durations = [], []     # (group, op) and duration
        self.number = 0
        self.first = time = 1000000 * (rank + 1)    # clocks differ
        for step in range(STEPS):
            time = self.step(step, time, chance)
        self.span = time - self.first

    def range(self, name, start, end, **args):
        self.events.append((start, end, "cpu_op", name, 100 + self.rank, 1,
                            args))

    def call(self, start, end):
        self.number += 1
        self.events.append((start, end, "cuda_runtime", "cudaLaunchKernel",
                            100 + self.rank, 1, {"correlation": self.number}))
        return self.number

    def activity(self, category, name, stream, start, end, call, **args):
        self.events.append((start, end, category, name, 0, stream, {
            "device": 0, "stream": stream, "correlation": call, **args}))

    def step(self, step, time, chance):
        start = time
        work = chance.randrange(40000, 44000) + 20000 * (self.rank == SLOW)
        call = self.call(time + 100, time + 200)
        copied = time + 300
        self.activity("gpu_memcpy", "Memcpy HtoD (Pinned -> Device)", 7,
                      copied, copied + 700, call)
        self.copies += 700
        call = self.call(time + 1200, time + 1300)
        self.activity("kernel", "gemm", 7, time + 2000, time + 2000 + work,
                      call)
        self.kernels["gemm"] = self.kernels.get("gemm", 0) + work
        self.compute += work
        end = time + 2000 + work
        for index, (name, _, dtype, _, count, _) in enumerate(OPS):
            end = self.collective(step, index, name, dtype, count, end, chance)
        own = end + 500 - start
        self.steps.append(own)
        self.range(f"ProfilerStep#{step}", start, start + own)
        length = 1000 + chance.randrange(500)
        self.range("forward", start + 1400, start + 1400 + length)
        found = self.functions.setdefault("forward", [0, 0])
        found[0] += length
        found[1] += length
        return start + own

    def collective(self, step, index, name, dtype, count, end, chance):
        """The first 300 ns of each are hidden behind the work before it, or
        behind a small kernel."""
        wait = chance.randrange(1000, 9000) * (self.rank != SLOW)
        length = 2000 + 500 * index + (wait if index < 2 else 0)
        group = f"{self.rank % 2 if index == 1 else 2}"
        args = {"Collective name": name, "In msg nelems": count,
                "Out msg nelems": count * (8 if index == 1 else 1),
                "dtype": dtype, "Process Group Name": group,
                "Process Group Description":
                    "pair" if index == 1 else "default_pg",
                "Process Group Ranks": str(
                    list(range(self.rank % 2, RANKS, 2)) if index == 1
                    else list(range(RANKS))),
                "Group size": RANKS // 2 if index == 1 else RANKS,
                "Seq": 40 + step * (1 if index == 1 else 2) + (index == 2)}
        kernel = f"ncclDevKernel_{OPS[index][1]}_RING_LL(ncclDevKernelArgs)"
        begin = end - 900 + 100 * index
        call = self.call(begin - 90, begin - 80)
        if not self.described:
            self.range(f"nccl:{OPS[index][1]}", begin - 95, begin - 75, **{
                "Input Dims": [[count // 4, 4]], "Input type": [
                    {"Float": "float", "BFloat16": "c10::BFloat16",
                     "Long": "long int"}[dtype]]})
            args = {}
        self.activity("kernel", kernel, 20, end, end + length, call, **args)
        small = 300
        call = self.call(begin - 60, begin - 50)
        self.activity("kernel", "add", 7, end, end + small, call)
        self.kernels["add"] = self.kernels.get("add", 0) + small
        self.kernels[kernel] = self.kernels.get(kernel, 0) + length
        self.compute += small
        self.comm += length
        self.exposed += length - small
        self.durations.append((index, group, step, length))
        return end + length

    def write(self, path, ranked):
        lines = []
        for start, end, category, name, pid, tid, args in sorted(
                self.events, key=lambda one: (one[0], -one[1])):
            lines.append('{"ph":"X","cat":%s,"name":%s,"pid":%d,"tid":%d,'
                         '"ts":%s,"dur":%s,"args":%s}' % (
                             json.dumps(category), json.dumps(name), pid, tid,
                             number(start), number(end - start),
                             json.dumps(args)))
        info = {"backend": "nccl", "rank": self.rank, "world_size": RANKS}
        head = f'"distributedInfo":{json.dumps(info)},' if ranked else ""
        with gzip.open(path, "wt", encoding="ascii") as out:
            out.write('{"schemaVersion":1,%s"traceEvents":[\n%s\n]}\n' %
                      (head, ",\n".join(lines)))


def instances(job):
    """All durations of each instance, by rank."""
    found = {}
    for rank in job:
        for index, group, step, length in rank.durations:
            if OPS[index][1] == "broadcast":
                continue
            key = index, group if rank.described else "", step
            found.setdefault(key, {})[rank.rank] = length
    return found


def waits(job):
    sums = {rank.rank: 0 for rank in job}
    last = {rank.rank: 0 for rank in job}
    for durations in instances(job).values():
        least = min(durations.values())
        for rank, length in durations.items():
            sums[rank] += length - least
        last[min(rank for rank, length in durations.items()
                 if length == least)] += 1
    return sums, last


def check_rows(name, job, rows):
    sums, last = waits(job)
    own = {rank.rank: (sum(rank.steps) - sums[rank.rank]) // STEPS
           for rank in job}
    order = sorted(own, key=lambda rank: (-own[rank], rank))
    equal(f"{name}: order", [row["rank"] for row in rows], order)
    equal(f"{name}: the straggler", (rows[0]["rank"], rows[0]["reason"]),
          (SLOW, "slow compute"))
    median = sorted(own.values())[(len(own) - 1) // 2]
    for row in rows:
        rank = next(one for one in job if one.rank == row["rank"])
        wanted = {"device": 0, "steps": STEPS,
                  "step_mean_ns": sum(rank.steps) // STEPS,
                  "step_max_ns": max(rank.steps), "span_ns": rank.span,
                  "compute_ns": rank.compute, "comm_ns": rank.comm,
                  "exposed_comm_ns": rank.exposed, "copy_ns": rank.copies,
                  "wait_ns": sums[rank.rank],
                  "last_count": last[rank.rank], "own_ns": own[rank.rank],
                  "behind_ns": max(0, own[rank.rank] - median)}
        equal(f"{name}: rank {rank.rank}",
              {key: row[key] for key in wanted}, wanted)


def spread(values):
    """The members of a row of imbalance that are exact."""
    ranks = sorted(values)
    numbers = [values[rank] for rank in ranks]
    count, total = len(numbers), sum(numbers)
    square = (count * sum(one * one for one in numbers) - total * total)
    low, high = 0, 1 << 64
    while high - low > 1:       # an integer root
        middle = (low + high) // 2
        if middle * middle <= square // count ** 2:
            low = middle
        else:
            high = middle
    return {"mean_ns": total // count, "stddev_ns": low,
            "min_ns": min(numbers), "max_ns": max(numbers),
            "min_rank": ranks[numbers.index(min(numbers))],
            "max_rank": ranks[numbers.index(max(numbers))],
            "lost_ns": max(numbers) * count - total}


def near(name, got, values):
    for key, percent in (("p50_ns", 50), ("p95_ns", 95)):
        wanted = sorted(values)[-(-len(values) * percent // 100) - 1]
        equal(f"{name}: {key} is near {wanted}, not {got[key]}",
              abs(got[key] - wanted) <= wanted * 0.032 + 1, True)


def check_imbalance(name, job, items):
    equal(f"{name}: order of imbalance",
          [item["lost_ns"] for item in items],
          sorted((item["lost_ns"] for item in items), reverse=True))
    found = {(item["kind"], item["name"]): item for item in items}
    kinds = [("kernel", kernel, {rank.rank: rank.kernels[kernel]
                                 for rank in job})
             for kernel in job[0].kernels]
    kinds.append(("function", "forward",
                  {rank.rank: rank.functions["forward"][0] for rank in job}))
    for kind, item, values in kinds:
        got = found[kind, item]
        wanted = spread(values)
        equal(f"{name}: {item}", {key: got[key] for key in wanted}, wanted)
        near(f"{name}: {item}", got, list(values.values()))


def check_collectives(name, job, rows):
    grouped = {}
    for (index, _, _), durations in instances(job).items():
        grouped.setdefault(index, []).append(list(durations.values()))
    found = {row["op"]: row for row in rows}
    for index, (_, op, dtype, size, count, factor) in enumerate(OPS):
        row = found[op]
        described = job[0].described
        alls = [length for rank in job
                for at, _, _, length in rank.durations if at == index]
        count *= 8 if index == 1 else 1
        ranks = (RANKS // 2 if index == 1 else RANKS) if described else None
        known = size * count
        if index == 1 and not described:
            known = None        # the input is only a part of it
        wanted = {"dtype": {"Long": "long"}.get(dtype, dtype.lower()),
                  "group": (("default_pg", "pair")[index == 1]
                            if described else None),
                  "ranks": ranks, "bytes": known, "count": len(alls),
                  "instances": len(grouped.get(index, [])),
                  "mean_ns": sum(alls) // len(alls), "min_ns": min(alls),
                  "max_ns": max(alls)}
        least = sum(min(one) for one in grouped.get(index, []))
        times = len(grouped.get(index, []))
        wanted["wait_ns"] = wanted["skew_ns"] = None
        if index in grouped:
            wanted["wait_ns"] = sum(sum(one) - len(one) * min(one)
                                    for one in grouped[index])
            wanted["skew_ns"] = sum(max(one) - min(one)
                                    for one in grouped[index]) // times
        else:
            least, times = sum(alls), len(alls)
        wanted["algbw_bytes_per_s"] = (
            None if known is None else known * times * 10 ** 9 // least)
        top, bottom = ((factor * (ranks - 1), ranks) if factor and ranks
                       else (1, 1))
        wanted["busbw_bytes_per_s"] = (
            known * times * 10 ** 9 * top // (least * bottom)
            if known and (ranks or not factor) else None)
        equal(f"{name}: {op}", {key: row[key] for key in wanted}, wanted)
        near(f"{name}: {op}", row, alls)


def check_job(name, folder, described):
    os.mkdir(folder)
    chance = random.Random(1 + described)
    job = [Rank(rank, described, chance) for rank in range(RANKS)]
    paths = [f"{folder}/trace{rank.rank + 7}.json.gz" for rank in job]
    for rank, path in zip(job, paths):
        rank.write(path, True)
    text = output("ranks", "--json", *paths)
    found = json.loads(text)
    equal(f"{name}: schema", found["schema"], "ctprof/ranks/1")
    equal(f"{name}: head",
          [found[key] for key in ("recordings", "world_size", "per_step",
                                  "unknown_ranks", "ungrouped_collectives")],
          [RANKS, RANKS, True, 0, 0 if described else RANKS * STEPS * len(OPS)])
    check_rows(name, job, found["rows"])
    check_imbalance(name, job, found["imbalance"])
    check_collectives(name, job, found["collectives"])
    # In any order, by any number of jobs.
    del found["inputs"]
    for options in (("-j", "3", *chance.sample(paths, RANKS)), (folder,)):
        other = json.loads(output("ranks", "--json", *options))
        del other["inputs"]
        equal(f"{name}: {options[0]}", other, found)
    check_merged(name, paths, found)
    check_groups(name, paths, found["rows"])
    check_summary(name, folder, text)
    rows = list(csv.DictReader(io.StringIO(output("ranks", "--csv", *paths).decode())))
    equal(f"{name}: CSV", [int(row["own_ns"]) for row in rows],
          [row["own_ns"] for row in found["rows"]])
    return job


def check_summary(name, folder, text):
    """A summary, and one merged from parts, in place of the inputs."""
    whole, merged = f"{folder}/whole.ctpart", f"{folder}/merged.ctpart"
    parts = [f"{folder}/part{part}.ctpart" for part in range(3)]
    inputs = sorted(f"{folder}/{one}" for one in os.listdir(folder))
    output("summarize", "-q", "-o", whole, *inputs)
    for index, part in enumerate(parts):
        output("summarize", "-q", "--shard", f"{index}/3", "-o", part, *inputs)
    output("merge", "-q", "-o", merged, *reversed(parts))
    for summary in whole, merged:
        equal(f"{name}: {os.path.basename(summary)}",
              output("ranks", "--json", summary), text)
    with open(whole, "rb") as one, open(merged, "rb") as other:
        equal(f"{name}: merged", one.read() == other.read(), True)
    for path in whole, merged, *parts:
        os.remove(path)


def check_groups(name, paths, rows):
    """Means of each four ranks."""
    found = json.loads(output("ranks", "--json", "--by", "4", *paths))["rows"]
    equal(f"{name}: the slow group", (found[0]["rank"], found[0]["rows"]),
          (SLOW - SLOW % 4, 4))
    for group in found:
        members = [row for row in rows
                   if row["rank"] // 4 == group["rank"] // 4]
        for key in "compute_ns", "comm_ns", "idle_ns", "wait_ns":
            equal(f"{name}: {key} of a group", group[key],
                  sum(row[key] for row in members) // 4)


def check_places(job):
    """Ranks and hosts from names of files; and unknown ranks."""
    folder = f"{WORK}/names"
    os.mkdir(folder)
    names = ("node7_123.1694128201545.pt.trace.json.gz", "rank_12.json.gz",
             "other.json.gz")
    for rank, name in zip(job, names):
        rank.write(f"{folder}/{name}", False)
    rows = json.loads(output("ranks", "--json", folder))["rows"]
    equal("places", sorted(
        (str(row["rank"]), str(row["host"]),
         os.path.basename(row["input"] or "")) for row in rows),
        [("12", "None", ""), ("None", "None", names[2]),
         ("None", "node7", names[0])])


def check_merged(name, paths, found):
    """The merged timeline has the ranks of its inputs."""
    merged = f"{WORK}/rank3_{name}.json.gz"
    output("merge", "-q", "--align", "none", "-o", merged, *paths)
    one, other = json.loads(output("ranks", "--json", merged)), dict(found)
    for key in "inputs", "notes":
        one.pop(key, None)
        other.pop(key, None)
    for key in other:
        equal(f"{name}: {key} of a merged timeline", one[key], other[key])


def check_processes():
    """Ranks without devices, in the names of processes; and many of them."""
    for count in 3, 300:
        path = f"{WORK}/processes.json"
        events = []
        for rank in range(count):
            events += [
                {"ph": "M", "name": "process_name", "pid": rank + 1, "tid": 1,
                 "args": {"name": f"rank {rank}: python"}},
                {"ph": "X", "name": "f", "cat": "cpu_op", "pid": rank + 1,
                 "tid": 1, "ts": rank, "dur": 10 + rank}]
        with open(path, "w", encoding="ascii") as out:
            json.dump({"traceEvents": events}, out)
        found = json.loads(output("ranks", "--json", path))
        equal(f"{count} processes", (found["recordings"], [
            (row["rank"], row["device"], row["span_ns"])
            for row in sorted(found["rows"], key=lambda row: row["rank"])]),
            (count, [(rank, None, 10000 + 1000 * rank)
                     for rank in range(count)]))
        equal(f"{count} processes: functions", [
            (item["name"], item["ranks"], item["max_rank"])
            for item in found["imbalance"]],
            [("f", 3, 2)] if count == 3 else [("f", 1, None)])


def write_events(path, rank, events):
    with open(path, "w", encoding="ascii") as out:
        json.dump({"distributedInfo": {"rank": rank, "world_size": 2},
                   "traceEvents": [
                       {"ph": "X", "cat": category, "name": name, "pid": pid,
                        "tid": 7, "ts": start, "dur": dur,
                        "args": {"device": 0, "stream": 7}}
                       for category, name, pid, start, dur in events]}, out)


def check_peers():
    """Cases in which other tools count differently; see ranks_peers.py."""
    folder = f"{WORK}/peers"
    os.mkdir(folder)
    reduce = "ncclKernel_AllReduce_RING_LL_Sum_float(ncclDevComm*)"
    # HTA's idle time is that between the first and the last kernel, 40 to 50;
    # ours is that of the process, 0 to 100. The clock of rank 1 is 1000 us
    # ahead: by the starts of the all-reduce, rank 0 waited for 1000 us.
    write_events(f"{folder}/rank0.json", 0, [
        ("cpu_op", "forward", 5, 0, 100),
        ("kernel", "gemm", 0, 20, 20), ("kernel", reduce, 0, 30, 10),
        ("kernel", reduce, 0, 50, 20)])
    write_events(f"{folder}/rank1.json", 1, [
        ("cpu_op", "forward", 5, 1000, 100),
        ("kernel", "gemm", 0, 1020, 5), ("kernel", reduce, 0, 1030, 16),
        ("kernel", reduce, 0, 1050, 15)])
    found = json.loads(output("ranks", "--json", folder))
    rows = {row["rank"]: row for row in found["rows"]}
    keys = ("compute_ns", "comm_ns", "exposed_comm_ns", "busy_ns", "idle_ns",
            "wait_ns", "last_count")
    equal("rank 0 beside HTA and TraceLens", [rows[0][key] for key in keys],
          [20000, 30000, 20000, 40000, 60000, 5000, 1])
    equal("rank 1 beside HTA and TraceLens", [rows[1][key] for key in keys],
          [5000, 31000, 31000, 36000, 64000, 6000, 1])


def write_rank(path, rank, slow):
    """Two steps of 100 us: a kernel, and an all-reduce with the waiting."""
    work = 70 if slow else 50
    events = []
    for step in range(2):
        start = 1000 * rank + 100 * step
        args = {"stream": 7, "device": 0}
        name = "ncclDevKernel_AllReduce_Sum_f32_RING_LL"
        group = {"Process Group Name": "0", "Group size": 64, "Seq": step,
                 "Process Group Ranks": "[...]"}
        events += [("user_annotation", f"ProfilerStep#{step}", 100 + rank,
                    start, 100, {}),
                   ("kernel", "gemm", 0, start + 5, work, args),
                   ("kernel", name, 0, start + 5 + work, 90 - work,
                    {**args, **group})]
    with gzip.open(path, "wt", encoding="ascii") as out:
        json.dump({"distributedInfo": {"rank": rank, "world_size": 64},
                   "traceEvents": [
                       {"ph": "X", "cat": category, "name": name, "pid": pid,
                        "tid": args.get("stream", 1), "ts": start, "dur": dur,
                        "args": args}
                       for category, name, pid, start, dur, args in events]},
                  out)


def check_hosts():
    """Eight hosts with eight ranks each; node5 computes slowly."""
    folder = f"{WORK}/hosts"
    os.mkdir(folder)
    for rank in range(64):
        write_rank(f"{folder}/node{rank // 8}_{rank}.17000.pt.trace.json.gz",
                   rank, rank // 8 == 5)
    found = json.loads(output("ranks", "--json", "--by", "host", folder))
    rows = found["rows"]
    equal("the slow host", [rows[0][key] for key in (
        "host", "rank", "rows", "own_ns", "behind_ns", "reason",
        "compute_ns", "wait_ns", "last_count")],
        ["node5", 40, 8, 100000, 20000, "slow compute", 140000, 0, 2])
    equal("the other hosts", [(row["host"], row["own_ns"], row["reason"])
                              for row in rows[1:]],
          [(f"node{host}", 80000, None) for host in (0, 1, 2, 3, 4, 6, 7)])
    gemm = next(item for item in found["imbalance"] if item["name"] == "gemm")
    equal("hosts of limits", [gemm[key] for key in (
        "min_rank", "min_host", "max_rank", "max_host")],
        [0, "node0", 40, "node5"])
    text = output("ranks", folder).decode()
    equal("the note", text.count("Host node5 is slow: all of its 8 rows are "
                                 "behind (slow compute).\n"), 1)
    equal("notes on hosts", text.count("is slow: "), 1)


def main():
    check_hosts()
    check_processes()
    check_peers()
    check_job("undescribed", f"{WORK}/undescribed", False)
    check_places(check_job("described", f"{WORK}/job", True))


main()
finish()
