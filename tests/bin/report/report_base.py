# SPDX-License-Identifier: MIT
"""Pages with --base agree with `ctprof diff`; call paths add up.

usage: report_base.py CTPROF DIRECTORY OLD NEW [OLD NEW]...
"""
import json
import subprocess
import sys

LIMIT = 2_000_000


def run(ctprof, *words):
    return subprocess.run([ctprof, *words, "-q"], check=True,
                          stdout=subprocess.PIPE).stdout.decode()


def diff_of(ctprof, old, new):
    page = run(ctprof, "report", "--base", old, new)
    assert len(page.encode()) <= LIMIT
    found = page.split('id="data">', 1)[1].split("</script", 1)[0]
    return json.loads(found)["diff"]


def rows_of(diff):
    """The rows as `ctprof diff` has them."""
    titles = [column["title"] for column in diff["rows"]["columns"]]
    for cells in diff["rows"]["rows"]:
        row = dict(zip(titles, cells))
        yield (row["function"][0], row["base"], row["new"], row["change"],
               row["own change"], row["base calls"], row["new calls"])


def expected_of(report):
    for row in report["rows"]:
        base, new = row["base"] or {}, row["new"] or {}
        changed = (not base or not new or any(base[key] != new[key] for key in
                   ("count", "total_ns", "self_ns")))
        if changed:
            yield (row["name"], base.get("total_ns"), new.get("total_ns"),
                   row["delta_ns"], row["delta_self_ns"], base.get("count"),
                   new.get("count"))


def check_tree(diff, tree, sums):
    """A node's time is its own and that of its children, on both sides."""
    nodes = list(zip(*[iter(tree["nodes"])] * 5))
    assert len(nodes) == len(tree["base"])
    below = [0] * len(nodes)
    path = []
    for number, (function, depth, total, _, _) in enumerate(nodes):
        assert -1 <= function < len(diff["functions"])
        del path[depth:]
        if path:
            below[path[-1]] += total
        path.append(number)
    for number, (_, _, total, own, _) in enumerate(nodes):
        assert below[number] + own == total
    assert nodes[0][2] == sums[1], (nodes[0], sums)
    assert tree["base"][0] == sums[0], (tree["base"][0], sums)


def check(ctprof, old, new):
    diff = diff_of(ctprof, old, new)
    report = json.loads(run(ctprof, "diff", "--json", old, new))
    wanted = list(expected_of(report))
    found = list(rows_of(diff))
    assert found == wanted[:len(found)]
    assert diff.get("rows_hidden", 0) == len(wanted) - len(found)
    for key in ("common", "added", "removed"):
        assert diff[key] == report[key], key
    for key in ("host", "device"):
        assert diff[key + "_ns"] == [
            (report[key][side] or {"total_ns": 0})["total_ns"]
            for side in ("base", "new")], key
    for tree, key in zip(diff["trees"], ("host_ns", "device_ns")):
        check_tree(diff, tree, diff[key])
    return diff


def main(ctprof, directory, *inputs):
    diff = check(ctprof, *inputs[:2])
    assert [(share, text) for share, text, *_ in diff["findings"]] == [
        (400000, "All functions take 280 ns, where the base took 200 "
         "ns: more by 40 %."),
        (300000, "'grown' grew most: it takes 100 ns itself, where it "
         "took 40 ns; a call takes 100 ns, before 40 ns."),
        (250000, "'new' is not in the base and takes 70 ns itself, in 1 "
         "call."),
    ], diff["findings"]
    assert diff["trees"][0]["gone"] == 1
    assert diff["trees"][0]["gone_ns"] == 50
    # The other way round nothing is slower, and `gone` is added.
    back = check(ctprof, *reversed(inputs[:2]))
    assert [text.split()[0] for _, text, *_ in back["findings"]] == [
        "'gone'"], back["findings"]
    equal = check(ctprof, inputs[0], inputs[0])
    assert equal["findings"] == [] and equal["rows"]["rows"] == []
    for old, new in zip(inputs[2::2], inputs[3::2]):
        check(ctprof, old, new)
    # Names from files stay data.
    hostile = directory + "/<script><b>\u2028.folded"
    with open(hostile, "w", encoding="utf-8") as out:
        out.write("a</script><script>x()</script>;<!--\" 5\n")
    check(ctprof, hostile, inputs[1])
    check(ctprof, inputs[1], hostile)


main(*sys.argv[1:])
