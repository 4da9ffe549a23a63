# SPDX-License-Identifier: MIT
"""Measures the sums of many ranks' traces, by processor time and by the clock:

    bench_scale.py [FOLDER]

ctprof summarize with one and two jobs, ctprof-mpi with one and two processes,
and the merge of two summaries. Without a folder, 64 ranks of 20,000 slices are
made. The commands run in the build directory.
"""
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time

MPI = ["mpirun", "-q", "--oversubscribe", "-n"]


def make(folder):
    for rank in range(64):
        events = [{"ph": "X", "name": f"function {number % 800}", "pid": 1,
                   "tid": number % 3, "ts": 10 * number,
                   "dur": 5 + (rank + number) % 4} for number in range(20000)]
        with open(f"{folder}/rank{rank:04}.json", "w") as file:
            json.dump({"distributedInfo": {"rank": rank},
                       "traceEvents": events}, file)


def measure(what, command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begin = time.monotonic()
    done = subprocess.run(command, stderr=subprocess.PIPE, check=False)
    wall = time.monotonic() - begin
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = (after.ru_utime + after.ru_stime - before.ru_utime
            - before.ru_stime)
    if done.returncode != 0:
        sys.exit(f"{what}: {done.stderr.decode(errors='replace')}")
    print(f"{what:32} {used:8.2f} s of processor time {wall:8.2f} s")


def run(folder, work):
    one, two = f"{work}/one.ctpart", f"{work}/two.ctpart"
    summarize = ["./ctprof", "summarize", "-q", "--force"]
    measure("serial, 1 job", [*summarize, "-j1", "-o", one, folder])
    measure("serial, 2 jobs", [*summarize, "-j2", "-o", two, folder])
    if shutil.which("mpirun") and os.access("./ctprof-mpi", os.X_OK):
        for count in "12":
            measure(f"ctprof-mpi, {count} processes",
                    [*MPI, count, "./ctprof-mpi", "-q", "--force", "-j1",
                     "-o", two, folder])
            with open(one, "rb") as a, open(two, "rb") as b:
                if a.read() != b.read():
                    sys.exit("the sums differ")
    else:
        print("mpirun or ctprof-mpi is missing")
    measure("merge of two summaries",
            ["./ctprof", "merge", "-q", "--force", "--allow-repeats",
             "-o", f"{work}/sum.ctpart", one, two])
    print(f"{os.path.getsize(one)} bytes of a summary")


def main(arguments):
    os.environ.update(OMPI_ALLOW_RUN_AS_ROOT="1",
                      OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    with tempfile.TemporaryDirectory() as work:
        folder = arguments[0] if arguments else work + "/ranks"
        if not arguments:
            os.mkdir(folder)
            make(folder)
        run(folder, work)


main(sys.argv[1:])
