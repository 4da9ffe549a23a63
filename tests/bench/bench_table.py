# SPDX-License-Identifier: MIT
"""Makes the table of bench.sh from its results, one JSON object a line, and
writes the figures of the table to a JSON file.

usage: bench_table.py RESULTS OUTPUT
"""
import json
import statistics
import sys

ROWS = [
    ("none", "nothing"),
    ("rdtsc", "2 x rdtsc"),
    ("clock", "2 x clock_gettime"),
    ("ctprof", "ctprof, inline"),
    ("ctprof_gpu", "ctprof, no CUDA used"),
    ("ctprof_last", "ctprof, --last"),
    ("ctprof_stored", "ctprof, --level=0"),
    ("ctprof_call", "ctprof, called"),
    ("instrument", "ctprof, instrumented"),
    ("ctprof_off", "ctprof, not started"),
    ("ctprof_stopped", "ctprof, stopped"),
    ("nvtx", "ctprof, NVTX"),
    ("nvtx_empty", "NVTX, ignored"),
    ("hooks", "instrumented, alone"),
    ("uftrace_hooks", "uftrace, instrumented"),
    ("uftrace", "uftrace, -pg"),
    ("gprof", "gprof (mcount), -pg"),
    ("lttng", "LTTng-UST"),
    ("spall", "spall"),
    ("tracy", "Tracy, no server"),
]
# Above this, the machine was too busy for the ratios to be meaningful.
QUIET = 1.05


def read(path):
    with open(path, encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def per_pair(run, key):
    pairs = "all_pairs" if key == "process_ns" else "pairs"
    return run[key] / run[pairs]


def runs_of(results, label, work):
    return [r for r in results
            if r.get("label") == label and r.get("work") == work]


def best(results, label, work, key):
    """The least of all rounds, in nanoseconds per pair."""
    values = [per_pair(r, key) for r in runs_of(results, label, work)]
    return min(values) if values else None


def less(left, right):
    return None if left is None or right is None else left - right


def over(left, right):
    return None if left is None or not right else left / right


def instructions(results, label):
    for r in results:
        if r.get("label") == label and "instructions" in r:
            return r["instructions"] / r["pairs"]
    return None


def packed(results, label):
    for r in results:
        if r.get("label") == label and "packed_bytes" in r:
            return r["packed_bytes"] / r["pairs"]
    return None


def figures_of(results, label):
    graph = runs_of(results, label, "graph")
    marginal = {
        key: less(best(results, label, "graph", key),
                  best(results, "none", "graph", key))
        for key in ("thread_ns", "process_ns")
    }
    return {
        "loop_thread_ns": best(results, label, "loop", "thread_ns"),
        "loop_process_ns": best(results, label, "loop", "process_ns"),
        "graph_thread_ns": marginal["thread_ns"],
        "graph_process_ns": marginal["process_ns"],
        "graph_base_ns": best(results, "none", "graph", "thread_ns"),
        "log_bytes": min((r["bytes"] / r["all_pairs"] for r in graph),
                         default=None),
        "packed_bytes": packed(results, label),
        "faults": min((r["faults"] / r["pairs"] for r in graph),
                      default=None),
        "growth_kib": min((r["growth_kib"] for r in graph), default=None),
        "instructions": instructions(results, label),
    }


def add_ratios(figures):
    unit = figures["rdtsc"]
    for row in figures.values():
        for key in ("loop_thread", "loop_process", "graph_thread",
                    "graph_process"):
            row[key + "_ratio"] = over(row[key + "_ns"], unit[key + "_ns"])


def text(value, digits):
    return "-" if value is None else "%.*f" % (digits, value)


def print_recorders(figures):
    columns = [
        ("loop ns", "loop_thread_ns", 2), ("x", "loop_thread_ratio", 2),
        ("process", "loop_process_ns", 1), ("x", "loop_process_ratio", 2),
        ("graph ns", "graph_thread_ns", 1), ("x", "graph_thread_ratio", 2),
        ("process", "graph_process_ns", 1), ("x", "graph_process_ratio", 2),
        ("log B", "log_bytes", 2), ("gzip B", "packed_bytes", 2),
        ("faults", "faults", 4),
        ("KiB", "growth_kib", 0), ("instr.", "instructions", 1),
    ]
    print("%-22s" % "per pair" +
          "".join("%*s" % (7 if title == "x" else 9, title)
                  for title, _, _ in columns))
    for label, title in ROWS:
        if figures[label]["loop_thread_ns"] is None:
            continue
        print("%-22s" % title +
              "".join("%*s" % (7 if head == "x" else 9,
                               text(figures[label][key], digits))
                      for head, key, digits in columns))
    print("loop: empty ranges, one after the other. graph: 64 functions that "
          "call each other,\nless what they cost unrecorded. process: with "
          "background threads, start and stop.\ninstrumented: compiled with "
          "-finstrument-functions; alone: recorded by nobody.\ngzip B: log B, "
          "after gzip -1. x: over 2 x rdtsc, measured in the same rounds.")


def logs_of(results):
    """Figures of logs: the best packings and conversions."""
    packed = [r for r in results if "pack" in r and "skipped" not in r]
    devices = [r for r in results if "devices" in r and "skipped" not in r]
    converted = [r for r in results if "convert" in r and "skipped" not in r]
    return [r for kind in (packed, devices)
            for r in sorted(kind, key=lambda r: r["cpu_ns"])[:1]] + converted


def print_logs(logs):
    for r in logs:
        if "pack" in r:
            print("chunks -> log    %11d events: %6.1f M events/s = %.1f M "
                  "pairs/s, %.2f bytes a pair" %
                  (2 * r["pairs"], 2 * r["pairs"] / r["cpu_ns"] * 1e3,
                   r["pairs"] / r["cpu_ns"] * 1e3, r["bytes"] / r["pairs"]))
        elif "devices" in r:
            print("devices -> log   %11d kernels: %5.1f ns to hand one over, "
                  "%.1f ns until it is packed, %.2f bytes per kernel" %
                  (r["devices"], r["handing_ns"], r["cpu_ns"],
                   r["bytes"] / r["devices"]))
        else:
            print("log -> %-7s %11d events: %6.1f M events/s, %7.1f MB/s "
                  "written, peak %.1f MiB" %
                  (r["convert"], r["events"],
                   r["events"] / r["cpu_ns"] * 1e3,
                   r["output_bytes"] / r["cpu_ns"] * 1e3,
                   r["peak_kib"] / 1024))


def print_doubts(results):
    told = set()
    for r in results:
        if "skipped" in r:
            name = r.get("peer") or r.get("convert") or \
                ("devices" if "devices" in r else "pack")
            told.add("%s: skipped: %s" % (name, r["skipped"]))
    for line in sorted(told):
        print(line)
    runs = [per_pair(r, "thread_ns") for r in runs_of(results, "rdtsc",
                                                      "loop")]
    spread = statistics.median(runs) / min(runs)
    print("2 x rdtsc: median over minimum %.3f%s" %
          (spread, "" if spread <= QUIET else
           " - over %.2f: the machine was busy, run it again" % QUIET))
    return spread


def main():
    results = read(sys.argv[1])
    figures = {label: figures_of(results, label) for label, _ in ROWS}
    add_ratios(figures)
    logs = logs_of(results)
    print_recorders(figures)
    print_logs(logs)
    spread = print_doubts(results)
    with open(sys.argv[2], "w", encoding="utf-8") as output:
        json.dump({"schema": "ctprof/bench/1", "recorders": figures,
                   "logs": logs, "rdtsc_median_over_minimum": spread},
                  output, indent=1, sort_keys=True)
        output.write("\n")


main()
