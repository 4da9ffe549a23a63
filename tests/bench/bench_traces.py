# SPDX-License-Identifier: MIT
"""Measures reading foreign files, beside other programs that read the same
file, and prints a table; doc/BENCHMARKS.md explains it. The files are a trace
in the form of PyTorch's, a large profile of Python, and the traces of a clang
build. Nothing is asserted. Run in the build directory.

usage: bench_traces.py
environment: BENCH_TRACE_BYTES  length of the trace (256M)
             BENCH_RANKS        how many traces are merged (256), each of
             BENCH_RANK_BYTES   so many bytes (2M)
             BENCH_BUILD_FILES  traces of the build (10000)
             BENCH_ROUNDS       rounds, the best of which counts (3)
             BENCH_TRACES_OUT   all figures as JSON (bench-traces.json)
             BENCH_PEERS        where ./bootstrap bench has put other programs
                                (bench-peers)
             BENCH_GC           off: Python's json without its garbage
                                collector (on)
             CTPROF             the program (./ctprof)
"""
import glob
import gzip
import json
import marshal
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
CTPROF = os.environ.get("CTPROF", os.path.abspath("ctprof"))
ROUNDS = os.environ.get("BENCH_ROUNDS", "3")
PEERS = os.path.join(
    os.environ.get("BENCH_PEERS", os.path.abspath("bench-peers")),
    "traces", "bin")
TRACE_BYTES = os.environ.get("BENCH_TRACE_BYTES", "256M")
FUNCTIONS = 200000
UNIT = os.path.join(HERE, "..", "traces", "self-win-clang-19.1_main.json.gz")
UNITS = int(os.environ.get("BENCH_BUILD_FILES", "10000"))
BUILD_GOAL_S = 10 * UNITS / 10000

JSON_LOAD = "import json, sys; json.load(open(sys.argv[1], 'rb'))"
HTA = """import sys
from hta.trace_analysis import TraceAnalysis
analysis = TraceAnalysis(trace_files={0: sys.argv[1]})
if len(sys.argv) > 2:
    print(getattr(analysis, sys.argv[2])(visualize=False))"""
DOCUMENT = os.path.join(HERE, "bench_document.py")
RULES = sorted(glob.glob(os.path.join(
    HERE, "..", "..", "lib", "phases", "rules", "*.rules")))
PEER_GOAL = 20


def convert(form, path):
    return [CTPROF, "convert", "-q", "-t", form, "-o", "-", path]


def python_peer(code, path, *words):
    return [os.path.join(PEERS, "python"), "-c", code, path, *words]


def trace_rows(trace, packed):
    """(name, command, goal in MB/s or None); a peer also has the name of the
    ctprof row that does the same."""
    return [
        ("ctprof: JSON -> pstats", convert("pstats", trace), 500),
        ("ctprof: JSON -> pstats, one thread",
         convert("pstats", trace) + ["-j1"], None),
        ("ctprof: JSON -> ctp", convert("log", trace), 300),
        ("ctprof: JSON -> JSON", convert("chrome", trace), 300),
        ("ctprof: JSON -> pftrace", convert("pftrace", trace), None),
        ("ctprof: JSON -> pftrace, in parts",
         [CTPROF, "convert", "-q", "--force", "-t", "pftrace", "--split",
          "20M", trace, "-o", os.path.join(os.path.dirname(trace), "parts")
          + "/"], None),
        ("ctprof cut --time 1s..2s",
         [CTPROF, "cut", "-q", "--time", "1s..2s", trace], None),
        ("ctprof repair, of what is right",
         [CTPROF, "repair", "-q", "-o", "-", trace], 200),
        ("ctprof: JSON.gz -> pstats", convert("pstats", packed), None),
        ("gzip -dc, alone", ["gzip", "-dc", packed], None),
        ("Python's json.load, alone",
         [sys.executable, "-c", JSON_LOAD, trace], None),
        ("jq, counting events", ["jq", ".traceEvents | length", trace], None),
        ("HolisticTraceAnalysis, parsing", python_peer(HTA, trace), None),
    ]


def report_rows(trace, work):
    """The reports, each followed by the peer that answers the same with
    Python's json and dictionaries, and by HolisticTraceAnalysis if it can. The
    memory goal is 512 MiB."""
    page = os.path.join(work, "report.html")

    def row(*words):
        name = "ctprof " + " ".join(words)
        options = ["--force", "-o", page] if words == ("report",) else []
        return name, [CTPROF, *words, "-q", *options, trace], 200

    def document(mode, top, words, *rules):
        return [row(*words), (
            "Python's json: " + mode,
            [sys.executable, "-B", DOCUMENT, mode, str(top), trace, *rules],
            None, row(*words)[0])]

    def hta(method, words):
        return ("HTA: " + method, python_peer(HTA, trace, method), None,
                row(*words)[0])

    return [
        *document("functions", 30, ["stats"]),
        *document("names", 30, ["stats", "--group", "name"]),
        *document("shapes", 30, ["stats", "--group", "shape"]),
        *document("kernels", 20, ["kernels"]),
        hta("get_gpu_kernel_breakdown", ["kernels"]),
        *document("gaps", 20, ["gaps"]),
        hta("get_idle_time_breakdown", ["gaps"]),
        *document("optimize", 5, ["gaps", "--optimize", "5"]),
        *document("phases", 0, ["phases"], *RULES),
        *document("report", 0, ["report"]),
        ("ctprof diff, of two", [CTPROF, "diff", "-q", trace, trace], None),
        ("ctprof: JSON -> flamegraph", convert("flamegraph", trace), None),
    ]


def profile_rows(profile, work):
    return [
        ("ctprof: pstats -> pstats", convert("pstats", profile), None),
        ("gprof2dot", [os.path.join(PEERS, "gprof2dot"), "-f", "pstats",
                       "-o", os.path.join(work, "dot"), profile], None),
        ("pyprof2calltree", [os.path.join(PEERS, "pyprof2calltree"), "-i",
                             profile, "-o", os.path.join(work, "grind")],
         None),
    ]


def make_trace(path, size, *options):
    with open(path, "wb") as out:
        subprocess.run(["tests/support/make_trace", "--bytes=" + size, *options],
                       stdout=out, check=True)


def write_ranks(work):
    """All ranks are the same file, so their processes have equal numbers."""
    trace = os.path.join(work, "rank.json")
    make_trace(trace, os.environ.get("BENCH_RANK_BYTES", "2M"))
    ranks = [os.path.join(work, "rank%d.json" % i)
             for i in range(int(os.environ.get("BENCH_RANKS", "256")))]
    for rank in ranks:
        os.symlink(trace, rank)
    return ranks


def rank_rows(ranks):
    return [("ctprof: %d ranks -> pftrace" % len(ranks),
             [CTPROF, "merge", "-q", "--align", "none", "-t", "pftrace", "-o",
              "-"] + ranks, None)]


def write_shapes(work):
    """Nearly each operator has inputs of distinct shapes."""
    trace = os.path.join(work, "shapes.json")
    make_trace(trace, TRACE_BYTES, "--lengths=4096")
    return trace


def shape_rows(trace):
    return [("ctprof stats --group shape",
             [CTPROF, "stats", "-q", "--group", "shape", trace], None)]


def write_trace(work):
    trace = os.path.join(work, "trace.json")
    packed = trace + ".gz"
    make_trace(trace, TRACE_BYTES)
    with open(trace, "rb") as text, gzip.open(packed, "wb", 6) as out:
        shutil.copyfileobj(text, out, 1 << 20)
    return trace, packed


def write_profile(work):
    """Three callers for each function, as a large program may have."""
    names = [("/usr/lib/package/module_%d.py" % (i % 2000), i % 977 + 1,
              "function_%d" % i) for i in range(FUNCTIONS)]
    stats = {}
    for i, name in enumerate(names):
        callers = {names[(i * 7 + k * 101) % FUNCTIONS]:
                   (k + 1, k + 1, i * 1e-6, i * 2e-6) for k in range(3)}
        stats[name] = (6, 6, i * 3e-6, i * 6e-6, callers)
    path = os.path.join(work, "large.pstats")
    with open(path, "wb") as out:
        marshal.dump(stats, out)
    return path


def write_build(work):
    """Units that share most of their content, with some templates each: as
    many different names as in a real build."""
    with gzip.open(UNIT) as file:
        text = file.read()
    build = os.path.join(work, "build")
    for i in range(UNITS):
        directory = os.path.join(build, "part_%d" % (i // 100))
        os.makedirs(directory, exist_ok=True)
        with open(os.path.join(directory, "unit_%d.cpp.json" % i),
                  "wb") as out:
            out.write(text.replace(b"IndexedVector<",
                                   b"Vector_%d<" % (i % 500)))
    with open(os.path.join(build, "compile_commands.json"), "w",
              encoding="utf-8") as out:
        json.dump([{"file": "unit_%d.cpp" % i} for i in range(UNITS)], out)
    return build, len(text) * UNITS


def build_rows(build):
    return [
        ("ctprof: stats -j %d" % jobs,
         [CTPROF, "stats", "-q", "-j", str(jobs), "--top", "20", build], None)
        for jobs in (1, 2)] + [
        ("ctprof: -> pstats -j 2",
         [CTPROF, "convert", "-q", "-j", "2", "-t", "pstats", "-o", "-",
          build], None)]


def print_build(figures):
    for row in figures:
        if row["name"] == "ctprof: stats -j 2":
            seconds = row["wall_ns"] / 1e9
            print("the build in %.2f s by the clock, goal %.0f s%s" % (
                seconds, BUILD_GOAL_S,
                "" if seconds <= BUILD_GOAL_S else " MISSED"))


def measure(command):
    """The output of bench_measure.py; or None, after printing the reason."""
    if shutil.which(command[0]) is None:
        print("bench: %s is not installed" % command[0], file=sys.stderr)
        return None
    run = subprocess.run(
        [sys.executable, os.path.join(HERE, "bench_measure.py"), ROUNDS]
        + command, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        check=False, text=True)
    if run.returncode != 0:
        lines = run.stderr.strip().splitlines() or ["no reason given"]
        print("bench: %s: %s" % (command[0], lines[-1]), file=sys.stderr)
        return None
    return json.loads(run.stdout)


def compare(figure, ours):
    """The time relative to ours."""
    figure["beside"] = ours["name"]
    figure["peer_goal"] = PEER_GOAL
    for clock in ("cpu", "wall"):
        figure[clock + "_ratio"] = (figure[clock + "_ns"] /
                                    ours[clock + "_ns"])


def run_rows(rows, size):
    figures = {}
    for name, command, goal, *ours in rows:
        figure = measure(command)
        if figure is None:
            continue
        figure["name"] = name
        figure["goal"] = goal
        figure["cpu_mb_s"] = size / figure["cpu_ns"] * 1e3
        figure["wall_mb_s"] = size / figure["wall_ns"] * 1e3
        if ours and ours[0] in figures:
            compare(figure, figures[ours[0]])
        figures[name] = figure
    return list(figures.values())


def goal_of(row):
    """The remark after a row: goals, and whether they are missed."""
    if row["goal"]:
        return "   goal %d%s" % (
            row["goal"], "" if row["cpu_mb_s"] >= row["goal"] else " MISSED")
    if "beside" in row:
        least = min(row["cpu_ratio"], row["wall_ratio"])
        return "   %.1f x CPU, %.1f x wall, goal %d%s" % (
            row["cpu_ratio"], row["wall_ratio"], row["peer_goal"],
            "" if least >= row["peer_goal"] else " MISSED")
    return ""


def print_rows(title, figures):
    print("%-34s %8s %9s %9s %9s" % (title, "CPU s", "MB/s CPU", "MB/s wall",
                                     "peak MiB"))
    for row in figures:
        name = "  " * ("beside" in row) + row["name"]
        print("%-34s %8.2f %9.1f %9.1f %9.1f%s" %
              (name, row["cpu_ns"] / 1e9, row["cpu_mb_s"],
               row["wall_mb_s"], row["peak_kib"] / 1024, goal_of(row)))


def main():
    out = os.environ.get("BENCH_TRACES_OUT", "bench-traces.json")
    with tempfile.TemporaryDirectory() as work:
        trace, packed = write_trace(work)
        size = os.path.getsize(trace)
        traces = run_rows(trace_rows(trace, packed), size)
        print_rows("%d bytes of JSON" % size, traces)
        reports = run_rows(report_rows(trace, work), size)
        print_rows("reports on it", reports)
        shapes = write_shapes(work)
        shaped = run_rows(shape_rows(shapes), os.path.getsize(shapes))
        os.unlink(shapes)
        print_rows("of many shapes", shaped)
        ranks = write_ranks(work)
        size = sum(os.path.getsize(rank) for rank in ranks)
        merged = run_rows(rank_rows(ranks), size)
        print_rows("%d bytes in %d files" % (size, len(ranks)), merged)
        profile = write_profile(work)
        size = os.path.getsize(profile)
        profiles = run_rows(profile_rows(profile, work), size)
        print_rows("pstats, %d functions" % FUNCTIONS, profiles)
        build, size = write_build(work)
        builds = run_rows(build_rows(build), size)
        print_rows("%d traces of clang's" % UNITS, builds)
        print_build(builds)
    with open(out, "w", encoding="utf-8") as text:
        json.dump({"schema": "ctprof/bench-traces/1", "traces": traces,
                   "reports": reports, "shapes": shaped,
                   "merged": merged, "profiles": profiles, "builds": builds},
                  text, indent=1, sort_keys=True)
        text.write("\n")


main()
