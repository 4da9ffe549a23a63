# SPDX-License-Identifier: MIT
"""The page of a job agrees with `ctprof ranks` and `ctprof gaps`, and is the same
from a summary and from its inputs.

usage: report_ranks.py DIRECTORY
"""
import json
import os
import sys

from checks import check, equal, finish, output, run
import report_job

WORK = sys.argv[1]
LIMIT = 3_000_000
MANY = int(os.environ.get("REPORT_RANKS", "2100"))
OVERLAP = ("span_ns", "busy_ns", "compute_ns", "comm_ns", "exposed_comm_ns",
           "copy_ns", "idle_ns")


def data_of(page):
    text = page.decode("utf-8")
    check(len(page) <= LIMIT, "the page has at most 3 MB", len(page))
    start = text.index('id="data">') + len('id="data">')
    found = text[start:text.index("</script", start)]
    check("<!--" not in found, "names do not hide the data's end")
    (data,) = json.loads(found)["inputs"]
    return data


def report(*words):
    done = run("report", "-q", "-o", "-", *words, cwd=WORK)
    return done.returncode, done.stdout


def rows_of(table):
    keys = [column.get("key", column["title"]) for column in table["columns"]]
    return [dict(zip(keys, row)) for row in table["rows"]]


def compare(what, table, rows):
    """The members that both have."""
    shown = rows_of(table)
    equal(what + ": number of rows", len(shown), len(rows))
    for found, wanted in zip(shown, rows):
        both = found.keys() & wanted.keys()
        check(len(both) > 4, what + ": members", both)
        equal(what, {key: found[key] for key in both},
              {key: wanted[key] for key in both})


def check_job(job):
    status, page = report("--sum", job)
    equal("status", status, 0)
    data = data_of(page)
    ranks = data["ranks"]
    wanted = json.loads(output("ranks", "-q", "--json", f"{WORK}/{job}"))
    hosts = json.loads(output("ranks", "-q", "--json", "--by", "host",
                              f"{WORK}/{job}"))
    compare("ranks", ranks["rows"], wanted["rows"])
    compare("hosts", ranks["hosts"]["rows"], hosts["rows"])
    equal("the slowest is first", rows_of(ranks["rows"])[0]["rank"],
          report_job.SLOW)
    names = [row["name"] for row in wanted["imbalance"]]
    equal("imbalance", [row["name"][0] for row in
                        rows_of(ranks["imbalance"])], names)
    equal("collectives", [row["count"] for row in
                          rows_of(ranks["collectives"])],
          [row["count"] for row in wanted["collectives"]])
    equal("inputs", (data["files"], data["lost_inputs"]), (9, []))
    equal("call paths", data["host"]["nodes"][5:], [])
    equal("a directory is a sum", data_of(report(job)[1])["ranks"], ranks)
    shown = {row["host"] for row in rows_of(ranks["hosts"]["rows"])}
    equal("hosts", shown, {host.decode(errors="replace")
                           for host in report_job.HOSTS})
    return page


def check_overlap(path):
    """One trace: the line of gaps, its JSON, the ranks and the page."""
    (gaps,) = json.loads(output("gaps", "--json", path))["rows"]
    (rank,) = json.loads(output("ranks", "--json", path))["rows"]
    data = data_of(output("report", path))
    (page,) = rows_of(data["gaps"]["rows"])
    figures = {key: gaps[key] for key in OVERLAP}
    equal("gaps and ranks", figures, {key: rank[key] for key in OVERLAP})
    equal("gaps and the page", figures, {key: page[key] for key in OVERLAP})
    # 300 us of work, of which 10 us are with the communication to the end.
    equal("by hand", [figures[key] // 1000 for key in OVERLAP],
          [1000, 630, 300, 310, 300, 30, 370])
    text = output("gaps", path).decode().split("\n\n")[1].split("\n")
    equal("the line of gaps", text[1].split()[:5],
          ["0.300", "0.310", "0.300", "3.23", "0.030"])
    check("ranks" not in data, "one trace has no ranks")


def check_same(job, page):
    """A page from a summary; only the path differs, so that is the same."""
    os.mkdir(f"{WORK}/other")
    output("summarize", "-q", "-o", f"{WORK}/other/{job}", f"{WORK}/{job}")
    done = run("report", "-q", "-o", "-", job, cwd=f"{WORK}/other")
    check(done.stdout == page, "a summary gives the same page as its inputs")
    paths = f"{WORK}/other/paths"
    output("summarize", "-q", "--paths", "-o", paths, f"{WORK}/{job}")
    status, with_paths = report("--sum", "--paths", job)
    data = data_of(with_paths)
    equal("status", status, 0)
    check(len(data["host"]["nodes"]) > 5, "--paths gives a flame graph")
    equal("--paths", data["host"], data_of(report(paths)[1])["host"])


def check_lost(job):
    with open(f"{WORK}/none.json", "w", encoding="utf-8") as file:
        file.write("garbage")
    status, page = report("--sum", job, "none.json", "<b>.json")
    data = data_of(page)
    equal("status", status, 3)
    equal("lost inputs are listed", [path for path, _ in data["lost_inputs"]],
          ["<b>.json", "none.json"])


def check_many():
    """The fastest ranks are omitted, and are counted, if there is no room."""
    report_job.make(f"{WORK}/many", MANY, ["\u2028".encode() * 60 + b"%d" % i
                                           for i in range(300)])
    status, page = report("--sum", "many")
    data = data_of(page)
    ranks = data["ranks"]
    equal("status", status, 0)
    shown = len(ranks["rows"]["rows"])
    check(shown > MANY // 4, "most ranks are shown", shown)
    equal("all ranks are counted", shown + ranks.get("rows_hidden", 0), MANY)
    equal("all hosts are counted", len(ranks["hosts"]["rows"]["rows"]) +
          ranks["hosts"].get("rows_hidden", 0), 300)


report_job.make(f"{WORK}/job", 9, report_job.HOSTS)
check_same("job", check_job("job"))
check_overlap(os.fsdecode(os.path.join(os.fsencode(f"{WORK}/job"),
                                       report_job.HOSTS[0] + b"_1.1.pt.trace.json")))
check_lost("job")
check_many()
finish()
