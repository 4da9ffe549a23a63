# SPDX-License-Identifier: MIT
"""Measures the sums of many inputs and prints a table in Markdown, with goals:

    bench_scale.py [FOLDER]

The folder has traces of ranks; without it they are made. The commands run in the
build directory. A row has the best of the rounds. Nothing is asserted, except
that processes of MPI write the same bytes as one process.

environment: SCALE_RANKS     ranks that are made (1024)
             SCALE_UNITS     traces of clang (20000)
             SCALE_PROFILES  profiles of Python (2000)
             SCALE_PEERS     ranks for HolisticTraceAnalysis (64; 0: none)
             SCALE_ROUNDS    rounds (1)
             SCALE_OUT       constants for scale_model.py (bench-scale.json)
"""
import glob
import gzip
import json
import marshal
import os
import random
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TESTS = os.path.join(HERE, "..", "..")
MEASURE = os.path.join(TESTS, "bench", "bench_measure.py")
UNIT = os.path.join(TESTS, "traces", "self-win-clang-19.1_main.json.gz")
PEERS = os.path.join("bench-peers", "traces")
MPI = ["mpirun", "-q", "--oversubscribe", "-n"]
RANKS = int(os.environ.get("SCALE_RANKS", "1024"))
UNITS = int(os.environ.get("SCALE_UNITS", "20000"))
PROFILES = int(os.environ.get("SCALE_PROFILES", "2000"))
PEER_RANKS = int(os.environ.get("SCALE_PEERS", "64"))
ROUNDS = int(os.environ.get("SCALE_ROUNDS", "1"))
MB = 1e6
HTA = """import sys
from hta.trace_analysis import TraceAnalysis
files = dict(enumerate(sys.argv[1:]))
analysis = TraceAnalysis(trace_files=files)
analysis.get_temporal_breakdown(visualize=False)
analysis.get_comm_comp_overlap(visualize=False)
analysis.get_gpu_kernel_breakdown(visualize=False)"""


class Cost:
    """The cost of a command and all that it started: seconds of processor time
    and by the clock, and the peak of one process's memory."""

    def __init__(self, figures):
        self.cpu_s = figures["cpu_ns"] / 1e9
        self.wall_s = figures["wall_ns"] / 1e9
        self.peak_mb = figures["peak_kib"] * 1024 / MB

    def __str__(self):
        return (f"{self.cpu_s:.2f} s of processor time, {self.wall_s:.2f} s, "
                f"{self.peak_mb:.0f} MB")


def run(command, rounds=1):
    """The best of the rounds, by processor time."""
    done = subprocess.run(
        [sys.executable, "-B", MEASURE, str(rounds), *command],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if done.returncode != 0:
        said = done.stderr.decode(errors="replace").strip().splitlines()
        raise RuntimeError(said[0] if said else "no reason given")
    return Cost(json.loads(done.stdout))


def measure(command):
    return run(command, ROUNDS)


def row(name, goal, measured):
    print(f"| {name} | {goal} | {measured} |", flush=True)


def summarize(out, *paths, jobs=1):
    return ["./ctprof", "summarize", "-q", "--force", "--allow-repeats",
            f"-j{jobs}", "-o", out, *paths]


def job(processes, out, *paths):
    return [*MPI, str(processes), "./ctprof-mpi", "summarize", "-q",
            "--force", "-j1", "-o", out, *paths]


def read(path):
    with open(path, "rb") as file:
        return file.read()


# ---- inputs ----


def make_ranks(folder):
    """Equal traces, except for the rank and some names."""
    os.mkdir(folder)
    text = subprocess.run(["tests/support/make_trace", "--bytes=2400K"],
                          stdout=subprocess.PIPE, check=True).stdout
    start = text.index(b"{") + 1
    for rank in range(RANKS):
        info = json.dumps({"rank": rank, "world_size": RANKS}).encode()
        own = (text[:start] + b'"distributedInfo": ' + info + b", "
               + text[start:])
        with open(f"{folder}/rank{rank:04}.json.gz", "wb") as file:
            file.write(gzip.compress(own, 1))


def link(path, folder, name):
    os.makedirs(folder, exist_ok=True)
    os.link(path, f"{folder}/{name}")


def make_units(work):
    """A build: copies of a trace with 60 different names of classes."""
    with gzip.open(UNIT) as file:
        text = file.read()
    for number in range(60):
        with open(f"{work}/unit{number}", "wb") as file:
            file.write(text.replace(b"IndexedVector<",
                                    b"Vector_%d<" % number))
    for number in range(UNITS):
        link(f"{work}/unit{number % 60}", f"{work}/build/{number // 100}",
             f"unit_{number}.cpp.json")
    return f"{work}/build", len(text) * UNITS


def make_profile(seed):
    """800 functions with one or two callers: 132 kB."""
    numbers = random.Random(seed)
    keys = [(f"/usr/lib/python3/package{k % 40}/module{k % 97}.py",
             k * 3 % 977 + 1, f"function_{k}") for k in range(800)]
    stats = {}
    for k, key in enumerate(keys):
        callers = {keys[caller]: (calls := numbers.randrange(1, 99), calls,
                                  numbers.random(), numbers.random())
                   for caller in {k // 2, k * 7 % 800} if k > 0}
        calls = sum(caller[0] for caller in callers.values()) or 1
        stats[key] = (calls, calls, numbers.random(), 1 + numbers.random(),
                      callers)
    return marshal.dumps(stats)


def make_profiles(work):
    for number in range(50):
        with open(f"{work}/profile{number}", "wb") as file:
            file.write(make_profile(number))
    for number in range(PROFILES):
        link(f"{work}/profile{number % 50}", f"{work}/profiles",
             f"{number}.pstats")
    return f"{work}/profiles"


def size_of(paths):
    """Bytes of text in the files, each of which is a gzip member or plain."""
    size = 0
    for path in paths:
        with open(path, "rb") as file:
            if file.read(2) == b"\x1f\x8b":
                file.seek(-4, os.SEEK_END)
                size += int.from_bytes(file.read(4), "little")
            else:
                size += os.path.getsize(path)
    return size


# ---- rows ----


def measure_ranks(work, folder, ranks):
    """Serial sums; returns their costs by number of jobs."""
    one = measure(summarize(f"{work}/one.ctpart", folder))
    two = measure(summarize(f"{work}/two.ctpart", folder, jobs=2))
    row(f"{len(ranks)} ranks, all sections, `-j1`", "≤ 18 s; ≤ 64 MB + names",
        one)
    row(f"{len(ranks)} ranks, `-j2`", "≤ 18 s, ≤ 10 s by the clock", two)
    run(summarize(f"{work}/rank.ctpart", ranks[0]))
    row("summary of one rank", "≤ 32 kB",
        f"{os.path.getsize(f'{work}/rank.ctpart') / 1e3:.1f} kB")
    row(f"summary of {len(ranks)} ranks", "≤ 300 kB",
        f"{os.path.getsize(f'{work}/one.ctpart') / 1e3:.1f} kB")
    return {1: one, 2: two}


def measure_mpi(work, folder, serial):
    """Returns the costs by number of processes; {} without MPI."""
    if not shutil.which("mpirun") or not os.access("./ctprof-mpi", os.X_OK):
        row("`mpirun`", "", "mpirun or ctprof-mpi is missing")
        return {}
    costs = {}
    for processes in (1, 2):
        out = f"{work}/mpi{processes}.ctpart"
        costs[processes] = measure(job(processes, out, folder))
        if read(out) != read(f"{work}/one.ctpart"):
            sys.exit("bench_scale: MPI's sums differ from those of a process")
    most_s = serial.wall_s * 1.03 + 0.6
    row("`mpirun -n 1 ctprof-mpi`",
        f"≤ `-j1` + 3 % + 0.6 s: {most_s:.2f} s by the clock", costs[1])
    row("`mpirun -n 2 ctprof-mpi`", "≤ 18 s, ≤ 10 s by the clock", costs[2])
    row("speed-up from 1 to 2 processes", "≥ 1.8",
        f"{costs[1].wall_s / costs[2].wall_s:.2f}")
    return costs


def measure_merge(work, ranks):
    """The time of one of many merges, so that starting does not count."""
    parts = []
    for number in range(32):
        parts.append(f"{work}/part{number}.ctpart")
        run(summarize(parts[-1], ranks[number % len(ranks)]))
    merge = ["./ctprof", "merge", "-q", "--force", "--allow-repeats", "-o",
             f"{work}/merged.ctpart"]
    few = run([*merge, *parts[:2]], 5).cpu_s
    many = run([*merge, *parts], 5).cpu_s
    merge_s = max(many - few, 0) / (len(parts) - 2)
    row("reading and merging a rank's summary", "≤ 2 ms",
        f"{merge_s * 1e3:.2f} ms")
    return merge_s


def measure_peer(work, ranks):
    ranks = ranks[:PEER_RANKS]
    if not ranks:
        return
    ours = measure(summarize(f"{work}/peer.ctpart", *ranks))
    row(f"{len(ranks)} ranks, `-j1`", "", ours)
    python = os.path.join(PEERS, "bin", "python")
    try:
        if not os.access(python, os.X_OK):
            subprocess.run([sys.executable, "-m", "venv", PEERS], check=True)
            run([python, "-m", "pip", "install", "-q", "--require-hashes",
                 "--only-binary", ":all:", "-r",
                 os.path.join(TESTS, "requirements-traces.txt")])
        peer = run([python, "-c", HTA, *ranks])
        beside = (f"{peer}: {peer.cpu_s / ours.cpu_s:.0f} times the "
                  f"processor time")
    except (OSError, RuntimeError, subprocess.CalledProcessError) as reason:
        beside = f"not measured: {reason}"
    row(f"{len(ranks)} ranks, HolisticTraceAnalysis", "", beside)


def main(arguments):
    os.environ.update(OMPI_ALLOW_RUN_AS_ROOT="1",
                      OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    with tempfile.TemporaryDirectory() as work:
        folder = arguments[0] if arguments else f"{work}/ranks"
        if not arguments:
            make_ranks(folder)
        ranks = sorted(glob.glob(f"{folder}/*.json*"))
        size = size_of(ranks)
        print(f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}; "
              f"{len(ranks)} ranks of {size / len(ranks) / MB:.2f} MB of "
              "JSON\n\n| what | goal | measured |\n| --- | --- | --- |")
        run(summarize(f"{work}/warm.ctpart", ranks[0]))
        serial = measure_ranks(work, folder, ranks)
        mpi = measure_mpi(work, folder, serial[1])
        merge_s = measure_merge(work, ranks)
        build, unit_bytes = make_units(work)
        units = measure(summarize(f"{work}/units.ctpart", build, jobs=2))
        row(f"{UNITS} traces of clang, all sections, `-j2`", "≤ 12 s", units)
        stats = measure(["./ctprof", "stats", "-q", "-j2", build])
        row(f"{UNITS} traces of clang, `stats -j2`", "≤ 12 s", stats)
        profiles = measure(summarize(f"{work}/profiles.ctpart",
                                     make_profiles(work), jobs=2))
        row(f"{PROFILES} profiles of Python, `-j2`", "≤ 2 s", profiles)
        measure_peer(work, ranks)
        constants = {
            "rank_s_per_mb": serial[1].cpu_s / (size / MB),
            "unit_s_per_mb": units.cpu_s / (unit_bytes / MB),
            "unit_mb": unit_bytes / UNITS / MB,
            "merge_s": merge_s,
            "summary_bytes": os.path.getsize(f"{work}/one.ctpart"),
            "ranks": len(ranks),
            "rank_mb": size / len(ranks) / MB,
            "measured_wall_s": {str(n): cost.wall_s
                                for n, cost in mpi.items()},
        }
        with open(os.environ.get("SCALE_OUT", "bench-scale.json"), "w",
                  encoding="utf-8") as out:
            json.dump(constants, out, indent=1)


main(sys.argv[1:])
