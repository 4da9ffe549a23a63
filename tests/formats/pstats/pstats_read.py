# SPDX-License-Identifier: MIT
"""pstats_read.py WORK PYTHON...: profiles saved by Python are read exactly.
ctprof's results are compared with marshal's own."""

import json
import marshal
import os
import pathlib
import pstats
import subprocess
import sys

CTPROF = os.environ["CTPROF"]
HERE = pathlib.Path(__file__).resolve().parent
NS = 1_000_000_000

PROGRAM = """
import MODULE, pstats
def even(n): return n == 0 or odd(n - 1)
def odd(n): return n != 0 and even(n - 1)
def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)
def main():
    fib(12); even(9); sorted([3, 1], key=lambda x: -x)
    exec(compile("def h\\u00e9(): return 1\\nh\\u00e9()", "f \\u20ac.py", "exec"))
profiler = MODULE.Profile()
profiler.runcall(main)
profiler.dump_stats(PATH)
"""


def fail(words):
    print(f"    {words}")
    return False


def run(*arguments, **more):
    return subprocess.run(
        [CTPROF, *arguments], capture_output=True, check=False, **more
    )


def convert(path, to):
    done = run("convert", "--force", "-t", "pstats", "-o", to, path)
    return done.returncode == 0 and not done.stderr


def load(path):
    with open(path, "rb") as file:
        return marshal.load(file)


def unnamed(stats):
    """The pure-Python profile writes "" where there is no file, cProfile "~",
    and so do we."""

    def key(names):
        return (names[0] or "~", *names[1:])

    return {
        key(k): (*v[:4], {key(c): cost for c, cost in v[4].items()})
        for k, v in stats.items()
    }


def in_ns(cost):
    """Unchanged counts, times as whole nanoseconds."""
    return tuple(round(c * NS) if isinstance(c, float) else c for c in cost)


def same(ours, theirs):
    """Are all numbers equal? A caller without times gets a share."""
    if set(ours) != set(theirs):
        return fail(f"other functions: {set(ours) ^ set(theirs)}")
    for key, value in theirs.items():
        if in_ns(ours[key][:4]) != in_ns(value[:4]):
            return fail(f"{key}: {ours[key][:4]}, not {value[:4]}")
        if set(ours[key][4]) != set(value[4]):
            return fail(f"{key}: other callers")
        for caller, cost in value[4].items():
            got = ours[key][4][caller]
            if isinstance(cost, int):
                share = value[3] * min(1, cost / value[1])
                if got[0] != cost or abs(got[3] - share) > 1e-9:
                    return fail(f"{key} from {caller}: {got}, not {cost}")
            elif in_ns(got) != in_ns(cost):
                return fail(f"{key} from {caller}: {got}, not {cost}")
    return True


def is_read(work, path):
    to = work / "ours.pstats"
    return convert(path, to) and same(load(to), unnamed(load(path)))


def write_twice(work, path):
    """Our own output is read back unchanged."""
    first, second = work / "first.pstats", work / "second.pstats"
    if not convert(path, first) or not convert(first, second):
        return False
    return first.read_bytes() == second.read_bytes()


def make(work, python, module):
    path = work / f"{module}.prof"
    program = PROGRAM.replace("MODULE", module).replace("PATH", repr(str(path)))
    (work / "program.py").write_text(
        "# -*- coding: utf-8 -*-\n" + program, encoding="utf-8"
    )
    subprocess.run([python, work / "program.py"], check=True)
    return path


def old_is_read(work):
    """From Python 2, which Python 3 cannot load. The numbers are those that
    Python 2.7 prints."""
    to = work / "old.pstats"
    if not convert(HERE / "pstats" / "py2_sample.prof2", to):
        return False
    stats = load(to)
    main = [k for k in stats if k[2] == "main"]
    sleep = [k for k in stats if k[2] == "<time.sleep>"]
    if len(stats) != 8 or len(main) != 1 or len(sleep) != 1:
        return fail(f"{len(stats)} functions")
    return stats[sleep[0]][:2] == (400, 400) and stats[main[0]][0] == 1


def samples_are_calls(work):
    """From pyinstrument, which writes -1 for an unknown count."""
    f, g = ("a.py", 1, "f"), ("a.py", 2, "g")
    path, to = work / "sampled.prof", work / "sampled.pstats"
    stats = {
        f: (-1, -1, 0.5, 0.75, {}),
        g: (-1, -1, 0.25, 0.25, {f: (-1, -1, 0.25, 0.25)}),
    }
    path.write_bytes(marshal.dumps(stats))
    if not convert(path, to):
        return False
    return load(to) == {
        f: (1, 1, 0.5, 0.75, {}),
        g: (1, 1, 0.25, 0.25, {f: (1, 1, 0.25, 0.25)}),
    }


def counts_are_put_right(work):
    """From yappi, which writes all calls in place of the primitive ones."""
    f = ("a.py", 1, "f")
    path, to = work / "swapped.prof", work / "swapped.pstats"
    path.write_bytes(marshal.dumps({f: (9, 2, 0.5, 0.5, {f: (7, 7, 0.25, 0.25)})}))
    return convert(path, to) and load(to)[f][:4] == (2, 9, 0.5, 0.5)


def cut_is_kept(work, path):
    """Truncated anywhere: complete parts are used and the rest is reported, or
    the file is rejected with the byte's position."""
    whole = path.read_bytes()
    kept = -1
    for size in range(1, len(whole), max(1, len(whole) // 150)):
        cut = work / "cut.prof"
        cut.write_bytes(whole[:size])
        to = work / "cut.pstats"
        done = run("convert", "--force", "-t", "pstats", "-o", to, cut)
        if done.returncode == 0:
            if b"cut off" not in done.stderr:
                return fail(f"cut after {size} bytes: {done.stderr}")
            if len(load(to)) < kept:
                return fail(f"cut after {size} bytes: less than before")
            kept = len(load(to))
        elif done.returncode != 3 or not done.stderr.startswith(b"ctprof: "):
            return fail(f"cut after {size}: {done.returncode} {done.stderr}")
    return kept > 5


def wrong_is_refused(work):
    """Invalid profiles: an error of one line, never a crash."""
    key = b"z\x01a" + b"i\x01\0\0\0" + b"z\x01f"
    cases = {
        "a reference to nothing": b"{)\x03r\xff\0\0\0",
        "a tuple that is too short": b"{)\x02" + key,
        "a line that is a text": b"{)\x03z\x01az\x011z\x01f",
        "a count below nothing": b"{)\x03" + key + b")\x05i\xfe\xff\xff\xff",
        "a text beyond the end": b"{)\x03u\xff\xff\xff\x7fabc",
        "brackets in brackets": b"{" * 100000,
        "a tuple of itself": b"{\xa9\x03r\0\0\0\0",
        "a time that is none": b"{)\x03" + key + b")\x05i\1\0\0\0i\1\0\0\0g"
        + b"\0\0\0\0\0\0\xf8\x7f" * 2,
    }
    good = True
    for name, data in cases.items():
        path = work / "wrong.prof"
        path.write_bytes(data)
        done = run("stats", "-f", "pstats", path)
        lines = done.stderr.splitlines()
        if done.returncode != 3 or len(lines) != 1 or b"byte" not in lines[0]:
            good = fail(f"{name}: {done.returncode} {done.stderr}")
    return good


def sums_are_python_s(work, paths):
    """The result of pstats.add(), except for the last digits of floats."""
    to = work / "sum.pstats"
    done = run("merge", "--force", "-o", to, *paths)
    if done.returncode != 0:
        return fail(done.stderr)
    theirs = pstats.Stats(str(paths[0]))
    theirs.add(*map(str, paths[1:]))
    ours = load(to)
    if set(ours) != set(theirs.stats):
        return fail("other functions")
    for key, value in theirs.stats.items():
        if ours[key][:2] != value[:2] or set(ours[key][4]) != set(value[4]):
            return fail(f"{key}: {ours[key]}, not {value}")
        for got, wanted in zip(ours[key][2:4], value[2:4]):
            if abs(got - wanted) > 1e-8:
                return fail(f"{key}: {got}, not {wanted}")
        for caller, cost in value[4].items():
            if ours[key][4][caller][:2] != cost[:2]:
                return fail(f"{key} from {caller}")
    return True


def sums_do_not_depend_on_order(work, paths):
    a, b, c = paths
    outputs = []
    part = work / "part.pstats"
    for first, second in (((a, b), (c,)), ((b, c), (a,)), ((c, a, b), ())):
        to = work / f"sum{len(outputs)}.pstats"
        for command in ([part, *first], [to, part, *second]):
            done = run("merge", "--force", "-o", *command)
            if done.returncode != 0:
                return fail(done.stderr)
        outputs.append(to.read_bytes())
    return outputs[0] == outputs[1] == outputs[2]


def trace(path, name):
    """A Chrome trace of two threads."""
    slices = [(1, "main", 0, 90), (1, name, 10, 20), (2, "main", 5, 30)]
    events = [
        {"ph": "X", "pid": 1, "tid": t, "name": n, "ts": ts, "dur": dur}
        for t, n, ts, dur in slices
    ]
    path.write_text(json.dumps({"traceEvents": events}), encoding="utf-8")
    return path


def root_is_no_function(work):
    """The root that ctprof writes is a root when it is read: the merge of
    traces is the merge of their profiles, and no table has it."""
    ours = []
    traces = [trace(work / f"t{i}.json", f"f{i}") for i in range(3)]
    for path in traces:
        ours.append(path.with_suffix(".pstats"))
        if not convert(path, ours[-1]):
            return False
    merged = [work / "traces.pstats", work / "profiles.pstats"]
    run("merge", "-o", merged[0], *traces)
    run("merge", "-o", merged[1], *ours)
    if merged[0].read_bytes() != merged[1].read_bytes():
        return fail("merged profiles are not the merged traces")
    key = ("~", 0, "<all threads>")
    if load(merged[1])[key][:2] != (1, 1):
        return fail(load(merged[1])[key])
    for command in ("stats", "convert -t flamegraph -o -", "convert -t dot -o -"):
        if b"all threads> #" in run(*command.split(), merged[1]).stdout:
            return fail(f"{command} has two roots")
    if b"<all threads>" in run("stats", merged[1]).stdout:
        return fail("stats has the root")
    return write_twice(work, merged[1])


def root_of_python_s_sum_is_kept(work, path):
    """Python added a profile of its own to one of ours; and a function has the
    root's name."""
    ours, mixed = work / "ours0.pstats", work / "mixed.pstats"
    if not convert(trace(work / "mixed.json", "f"), ours):
        return False
    pstats.Stats(str(ours)).add(str(path)).dump_stats(mixed)
    if not is_read(work, mixed) or not write_twice(work, mixed):
        return False
    f, g = ("~", 0, "<all threads>"), ("a.py", 2, "g")
    stats = {f: (2, 2, 0.5, 0.75, {}), g: (1, 1, 0.25, 0.25, {f: (1, 1, 0.25, 0.25)})}
    mixed.write_bytes(marshal.dumps(stats))
    return is_read(work, mixed)


def what_a_sum_lacks_is_named(work, path):
    """The other files are summed. With none of them nothing is written."""
    to, whole = work / "rest.pstats", work / "whole.pstats"
    empty, absent = work / "empty.prof", work / "absent.prof"
    empty.write_bytes(b"")
    done = run("merge", "-o", to, empty, path, absent)
    run("merge", "-o", whole, path)
    if done.returncode != 3 or to.read_bytes() != whole.read_bytes():
        return fail(f"{done.returncode} {done.stderr}")
    words = f"{to}: the sum lacks 2 of 3 inputs: {empty}, {absent}\n"
    if not done.stderr.endswith(words.encode()):
        return fail(done.stderr)
    done = run("merge", "-o", work / "none.pstats", empty, absent)
    if b"lacks" in done.stderr or (work / "none.pstats").exists():
        return fail(done.stderr)
    return done.returncode == 3


def timelines_are_refused(work, path):
    done = run("convert", "-t", "chrome", "-o", work / "t.json", path)
    if done.returncode == 0 or b"no timestamps" not in done.stderr:
        return fail(f"{done.returncode} {done.stderr}")
    done = run("convert", "-t", "folded", "-o", work / "t.folded", path)
    return done.returncode != 0 and b"no call paths" in done.stderr


def main():
    work = pathlib.Path(sys.argv[1])
    failed = False

    def check(what, good):
        nonlocal failed
        print(f"{'ok' if good else 'not ok'} {what}", flush=True)
        failed |= not good

    path = None
    paths = []
    for python in sys.argv[2:]:
        for module in ("cProfile", "profile"):
            path = make(work, python, module)
            if module == "cProfile" and len(paths) < 3:
                paths.append(path.rename(work / f"part{len(paths)}.prof"))
                path = paths[-1]
            check(f"{module} of {python} is read", is_read(work, path))
            check(f"{module} of {python} is stable", write_twice(work, path))
    check("Python 2's is read", old_is_read(work))
    check("samples are calls", samples_are_calls(work))
    check("swapped counts are put right", counts_are_put_right(work))
    check("what is cut off is kept", cut_is_kept(work, path))
    check("what is wrong is refused", wrong_is_refused(work))
    while len(paths) < 3:
        whole = make(work, sys.argv[2], "cProfile")
        paths.append(whole.rename(work / f"part{len(paths)}.prof"))
    check("sums are Python's", sums_are_python_s(work, paths))
    check("order is all one", sums_do_not_depend_on_order(work, paths))
    check("the root is no function", root_is_no_function(work))
    check("Python's sum keeps the root", root_of_python_s_sum_is_kept(work, paths[0]))
    check("what a sum lacks is named", what_a_sum_lacks_is_named(work, path))
    check("timelines are refused", timelines_are_refused(work, path))
    return failed


sys.exit(main())
