# SPDX-License-Identifier: MIT
"""Names that terminals, spreadsheets, browsers and graphviz would interpret,
through every writer and report:

    hostile_names_check.py CTPROF DIRECTORY

Formats for programs return every name unchanged; output for people has no
control characters and no bidirectional marks.
"""
import csv
import functools
import gzip
import html.parser
import io
import json
import marshal
import os
import re
import shutil
import sqlite3
import subprocess
import sys
from xml.etree import ElementTree

import checks
from checks import fail, finish, strict_json
import pftrace_read
import protobuf_read

CTPROF = sys.argv[1]
RAW = (set(range(0x20)) | set(range(0x7f, 0xa0)) | {0x61c, 0x200e, 0x200f} |
       set(range(0x2028, 0x202f)) | set(range(0x2066, 0x206a)))
CLASS = "".join(f"\\U{code:08x}" for code in sorted(RAW))
UNSAFE = re.compile(f"[{CLASS}]")
ESCAPED = re.compile(f"[{CLASS}\uffff]")
BLANKS = re.compile("[\t-\r \x85\xa0\u2028\u2029]+")
FORMULA = re.compile("[ ]*[=+\\-@\t\r\n]")

NAMES = [
    # A terminal
    "\x1b[31mred\x1b[0m", "\x1b]0;title\x07", "bell\x07\x08\x01", "a\x7fdel",
    "\x9b31mc1", "a\x85nel", "tab\there", "line\nline", "return\rover", "\x1b",
    # The order of text
    "\u202etxt.exe\u202c", "\u202d\u202a\u202b", "\u2066a\u2067b\u2068c\u2069",
    "\u200eleft\u200fright\u061cletter", "\u2028line\u2029paragraph",
    # A page
    "</script><script>alert(1)</script>", "<!--<script>", "]]>", "]]]]>",
    "&amp;\"'<b>", "javascript:alert(1)", "\" onmouseover=\"alert(1)", "<svg/>",
    # A spreadsheet
    "=1+1", "+1", "-1", "@SUM(A1)", "=cmd|' /C calc'!A0", "\t=2", "\r=3",
    " =4", "a,\"b\"", "'=5", "-[NSObject init]",
    # Graphviz, shells, Markdown and other programs
    "a\\N\"];x [label=\"", "\\l\\", "{a|<b>c}", "%s%n", "x;y 3", "z [3]",
    "`rm`", "|a|**b**_c_[d](javascript:e)", "$(reboot)", "fn=(1) calls=1 2",
    # Plain ones
    "\uffff", "gr\u00fc\u00df \u4e2d \U0001f600",
]
INVALID = b"bad\xff\xfe\xc3(\xe2\x82"


def check(what, good, *words):
    if not good:
        fail(" ".join([ascii(what), *(ascii(word)[:300] for word in words)]))


def shown(name):
    """The name as one printable line."""
    def escape(match):
        return f"\\u{ord(match[0]):04x}"
    return ESCAPED.sub(escape, BLANKS.sub(" ", name).strip(" "))


def run(*arguments, status=0):
    ran = checks.run(*arguments, data=b"")
    what = " ".join(arguments[:2])
    check(f"{what}: status", ran.returncode == status, ran.returncode,
          ran.stderr)
    is_safe(f"{what}: errors", ran.stderr)
    return ran.stdout


def is_safe(what, data, also="\n\t"):
    """Only text, in UTF-8."""
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        check(what, False, error)
        return ""
    raw = [match for match in UNSAFE.findall(text) if match not in also]
    check(f"{what}: is safe to show", not raw, raw[:3])
    return text


def has_all(what, found, names=NAMES):
    missing = [name for name in names if name not in found]
    check(f"{what}: has every name", not missing, missing[:3])


def texts(value):
    """All texts of a document, at any depth."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from texts(key)
            yield from texts(item)
    elif isinstance(value, (list, tuple, set)):
        for item in value:
            yield from texts(item)
    elif isinstance(value, (str, bytes)):
        yield value


def make_trace():
    """Every name, in every place that has a name."""
    events = []

    def add(phase, name, start, **more):
        events.append({"ph": phase, "name": name, "ts": start, "pid": 1,
                       "tid": 1, **more})

    for i, name in enumerate(NAMES):
        start = 100 * i
        add("M", "process_name", 0, pid=i + 1, args={"name": name})
        add("M", "thread_name", 0, pid=i + 1, args={"name": name})
        add("X", name, start, dur=50, cat=name,
            args={"file": name, "line": 3})
        add("X", "arguments", start + 1, dur=3, args={name: name})
        add("X", "cudaLaunchKernel", start + 5, dur=10, cat="cuda_runtime",
            args={"correlation": i + 1})
        add("X", name + "()", start + 20, dur=40, cat="kernel", pid=0, tid=7,
            args={"device": 0, "stream": 7, "correlation": i + 1})
        add("i", name, start, pid=i + 1, s="t")
        add("C", name, start, pid=i + 1, args={name: 1, "real": -1.5})
    # As in our own traces, arguments give locations.
    return {"ctprof": {}, "traceEvents": events,
            "deviceProperties": [{"id": 0, "name": NAMES[0] + NAMES[10]}],
            **{name: name for name in NAMES}}


def write_inputs():
    trace = json.dumps(make_trace()).encode()
    # Also in file names, one of which begins with it and is a formula.
    path = "=\x1b[31m\u202e<b>&\"'.json"
    with open(path, "wb") as file:
        file.write(trace)
    bad = "bad\u2066.json"
    with open(bad, "wb") as file:
        file.write(b'[{"ph":"X","pid":1,"tid":1,"ts":1,"dur":5,"name":"' +
                   INVALID + b'","cat":"' + INVALID + b'"}]')
    return path, bad


def convert(path, to, *options):
    out = f"out.{to}"
    run("convert", "-q", "--force", "-t", to, "-o", out, *options, path)
    with open(out, "rb") as file:
        return file.read()


def check_log(data):
    try:
        import msgpack
    except ImportError:
        print("skipped the log: no msgpack")
        return
    unpacker = msgpack.Unpacker(io.BytesIO(gzip.decompress(data)), raw=True,
                                strict_map_key=False)
    found = set()
    for value in unpacker:
        found.update(texts(value))
    has_all("log", found, [name.encode() for name in NAMES])


def check_pstats(data):
    found = {name.replace("<\\", "<") for _, _, name in marshal.loads(data)}
    has_all("pstats", found)


def check_sqlite(_):
    with sqlite3.connect("out.sqlite") as base:
        found = set()
        tables = base.execute("SELECT name FROM sqlite_master WHERE type IN "
                              "('table', 'view')").fetchall()
        for table, in tables:
            for row in base.execute(f'SELECT * FROM "{table}"'):
                found.update(texts(row))
    has_all("sqlite", found)


def read_csv(what, data):
    # Lines within fields may have any line ends.
    rows = list(csv.DictReader(io.StringIO(data.decode(), newline="")))
    check(f"{what}: as wide as its titles",
          all(None not in row and None not in row.values() for row in rows))
    return rows


def is_number(text):
    return re.fullmatch(r"-?[0-9]+(\.[0-9]+)?(e[-+]?[0-9]+)?", text)


def check_csv(what, data, columns=()):
    is_safe(what, data)
    for row in read_csv(what, data):
        for column, field in row.items():
            check(f"{what}: {column} is no formula",
                  not FORMULA.match(field) or
                  (is_number(field) and column not in columns), field)


def check_csv_format(data):
    check_csv("csv", data, ("name", "category", "file", "process", "track"))
    found = {row["name"] for row in read_csv("csv", data)}
    has_all("csv", found, [
        ("'" if FORMULA.match(name) else "") +
        ESCAPED.sub(lambda match: {"\t": "\\t", "\n": "\\n", "\r": "\\r"}.get(
            match[0], f"\\u{ord(match[0]):04x}"), name) for name in NAMES])
    values = {row["value"] for row in read_csv("csv", data)}
    check("csv: numbers stay numbers", "-1.5" in values, values)
    raw = read_csv("csv", convert(PATH, "csv", "--csv-raw"))
    for column in ("name", "category", "file", "process", "track"):
        has_all(f"csv --csv-raw: {column}", {row[column] for row in raw})
    check("csv --csv-raw: number", "-1.5" in {row["value"] for row in raw})


def check_json(what, data):
    text = is_safe(what, data)
    has_all(what, set(texts(strict_json(text))))


def check_chrome(data):
    # Arguments are the input's, with its escapes.
    check_json("chrome", data)


def check_pprof(data):
    profile = protobuf_read.fields(gzip.decompress(data))
    has_all("pprof", {text.decode() for text in profile[6]})


def check_pftrace(_):
    trace = pftrace_read.Trace("out.pftrace")
    has_all("pftrace", {each.name for _, each in trace.slices})
    has_all("pftrace: categories",
            {each.category for _, each in trace.slices})


def check_folded(data):
    text = is_safe("folded", data)
    found = {frame for line in text.splitlines()
             for frame in line.rsplit(" ", 1)[0].split(";")}
    has_all("folded", found,
            [shown(name).replace(";", ":") for name in NAMES])


def check_callgrind(data):
    text = is_safe("callgrind", data)
    found = {match[1] for match in
             re.finditer(r"^c?fn=\(\d+\) (.*)$", text, re.M)}
    has_all("callgrind", {name.split(" (=")[0] for name in found},
            [shown(name) for name in NAMES])


def check_gprof(data):
    text = is_safe("gprof", data, "\n\t\f")
    for name in NAMES:
        name = shown(name).replace("z [3]", "z (3)")
        check("gprof: has the name", f" {name} [" in text, name)
    if shutil.which("gprof2dot"):
        graph = subprocess.run(["gprof2dot", "-f", "prof", "out.gprof"],
                               capture_output=True, check=False)
        check("gprof: gprof2dot reads it", graph.returncode == 0,
              graph.stderr)


def svg_texts(what, data):
    text = is_safe(what, data)
    root = ElementTree.fromstring(text)
    # gprof2dot and graphviz also break long names into lines.
    words = {"".join(each.itertext()) for each in root.iter()
             if each.tag.endswith(("}text", "}title"))}
    # A tooltip has the whole name, and the place on a line of its own.
    words |= {each.get(key).partition("\n")[0] for each in root.iter()
              for key in each.keys() if key.endswith("}title")}
    for each in root.iter():
        for key, value in each.attrib.items():
            check(f"{what}: an attribute", not (
                key.startswith("on") or
                key.endswith(("href", "src"))), key, value)
    return words


def check_dot(data):
    is_safe("dot", data)
    if not shutil.which("dot"):
        print("skipped dot: no graphviz")
        return
    drawn = subprocess.run(["dot", "-Tsvg"], input=data, capture_output=True,
                           check=False)
    check("dot: graphviz reads it", drawn.returncode == 0 and
          not drawn.stderr, drawn.stderr)
    words = svg_texts("dot's picture", drawn.stdout)
    plain = {word.replace("\xa0", " ") for word in words}
    has_all("dot's picture", plain, [shown(name) for name in NAMES])


def check_svg(data):
    svg_texts("svg", data)


class Page(html.parser.HTMLParser):
    """A page as a browser parses it: elements, and the text of scripts."""

    def __init__(self, text):
        super().__init__()
        self.tags = []
        self.scripts = []
        self.title = ""
        self.within = None
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.within = tag
        if tag == "script":
            self.scripts.append("")
        for key, value in attrs:
            check("page: an attribute", not (
                key.startswith("on") or key in ("href", "src")), key, value)

    def handle_endtag(self, tag):
        self.within = None

    def handle_data(self, data):
        if self.within == "script":
            self.scripts[-1] += data
        if self.within == "title":
            self.title += data


def check_flamegraph(data):
    words = svg_texts("flamegraph", data)
    has_all("flamegraph", {word.split("\n")[0] for word in words},
            [shown(name) for name in NAMES])
    root = ElementTree.fromstring(data)
    lists = [each for each in root.iter() if each.get("class") == "functions"]
    check("flamegraph: a list for its script", len(lists) == 1)
    has_all("flamegraph's list",
            {text.removesuffix(":3")
             for text in texts(strict_json(lists[0].text))},
            [shown(name) for name in NAMES])
    # Pasted into a page, its scripts still end at the right place.
    check("flamegraph: in HTML", data.count(b"</script") == 2)
    check("flamegraph: sections", data.count(b"]]>") == 2)


def check_text(name, data):
    """For a text format without its own check."""
    text = is_safe(name, data)
    for each in NAMES:
        check(f"{name}: has the name", shown(each) in text, each)


FORMATS = {
    "log": check_log, "pstats": check_pstats, "sqlite": check_sqlite,
    "csv": check_csv_format, "chrome": check_chrome, "gprof": check_gprof,
    "callgrind": check_callgrind, "folded": check_folded, "dot": check_dot,
    "svg": check_svg, "flamegraph": check_flamegraph, "pprof": check_pprof,
    "speedscope": lambda data: check_json("speedscope", data),
    "pftrace": check_pftrace,
}


def check_formats():
    rows = strict_json(run("formats", "--json"))["rows"]
    written = {row["name"] for row in rows if row["writes"]}
    plain = {row["name"] for row in rows if not row["binary"]} & written
    checks = {name: functools.partial(check_text, name)
              for name in sorted(plain)} | FORMATS
    check("every format is tested", written == checks.keys(),
          written ^ checks.keys())
    for name, check_data in checks.items():
        if name == "svg" and not (shutil.which("gprof2dot") and
                                  shutil.which("dot")):
            print("skipped svg: no gprof2dot")
            continue
        data = convert(PATH, name)
        check_data(data)
        # Bytes that are not UTF-8, in a second input.
        data = convert(BAD, name)
        if name not in ("log", "pstats", "sqlite", "pprof", "pftrace"):
            text = is_safe(f"{name}: bytes", data, "\n\t\f")
            if name not in ("chrome", "speedscope", "svg"):
                check(f"{name}: bytes are escaped",
                      "bad\\xff\\xfe\\xc3(\\xe2\\x82" in
                      text.replace("\\\\", "\\"))


REPORTS = [
    ["stats", "--top=0"], ["stats", "--top=0", "--callers", "--callees"],
    ["stats", "--group=name", "--top=0"], ["kernels", "--top=0"],
    ["gaps", "--top=0"], ["gaps", "--optimize=99"], ["phases"],
    ["phases", "--threads"],
]


def check_reports():
    for report in REPORTS:
        what = " ".join(report)
        is_safe(what, run(*report, PATH))
        is_safe(f"{what}: two inputs", run(*report, PATH, BAD))
        data = is_safe(f"{what} --json", run(*report, "--json", PATH))
        strict_json(data.splitlines()[0])
        check_csv(f"{what} --csv", run(*report, "--csv", PATH),
                  ("name", "file", "input", "caller", "thread"))
    text = is_safe("stats", run("stats", "--top=0", PATH))
    for name in NAMES:
        check("stats: has the name", f" {shown(name)}" in text, name)
    has_all("stats --json",
            set(texts(strict_json(run("stats", "--top=0", "--json", PATH)))))
    has_all("stats --csv-raw", {row["name"] for row in read_csv(
        "stats --csv-raw", run("stats", "--top=0", "--csv-raw", PATH))})
    text = is_safe("info", run("info", PATH))
    check("info: the file's name", text.startswith(shown(PATH) + "\n"), text)
    has_all("info --json", set(texts(strict_json(run("info", "--json", PATH)))))


def check_sides():
    """Reports of two inputs."""
    with open(PATH, "rb") as file:
        trace = strict_json(file.read())
    for event in trace["traceEvents"]:
        event["dur"] = event.get("dur", 0) * 3
        event["ts"] *= 3
    slow = "@slow\x1b[1m\u202e.json"
    with open(slow, "w", encoding="utf-8") as file:
        json.dump(trace, file)
    for report, status in ((["diff", "--top=0", "--svg=diff.svg", "--force"],
                            0), (["check", "--all", "--junit=junit.xml",
                                  "--force"], 1)):
        what = report[0]
        for style, look in (("", is_safe), ("--csv", check_csv),
                            ("--json", check_json)):
            options = [*report, style] if style else report
            look(f"{what} {style}", run(*options, "-q", PATH, slow,
                                        status=status))
    with open("diff.svg", "rb") as file:
        words = svg_texts("diff --svg", file.read())
    has_all("diff --svg", {word.split("\n")[0] for word in words},
            [shown(name) for name in NAMES])
    with open("junit.xml", "rb") as file:
        data = file.read()
    is_safe("junit", data)
    has_all("junit", {case.get("name") for case in
                      ElementTree.fromstring(data).iter("testcase")},
            [shown(name) for name in NAMES])
    run("merge", "-q", "--align=none", "-o", "merged.json", PATH, BAD)
    run("cut", "-q", "-o", "cut.csv", PATH)
    with open("cut.csv", "rb") as file:
        check_csv("cut", file.read(), ("name",))


def check_page():
    run("report", "-q", "-o", "page.html", PATH, BAD)
    with open("page.html", "rb") as file:
        text = is_safe("page", file.read())
    page = Page(text)
    check("page: two scripts", len(page.scripts) == 2, page.tags)
    check("page: no other element", not {"b", "svg", "iframe", "img"} &
          set(page.tags), page.tags)
    check("page: its title", page.title == shown(PATH) + " - ctprof",
          page.title)
    has_all("page", set(texts(strict_json(page.scripts[0]))))
    # The script escapes its parts like printable text.
    classes = re.search(r'const UNSAFE = new RegExp\("(.*?)" \+\s+"(.*?)", "g"',
                        text)
    pattern = (classes[1] + classes[2]).replace("\\\\", "\\")
    unsafe = re.compile(pattern.replace("\\0", "\\x00"))
    check("page: its script escapes", all(
        unsafe.match(chr(code)) or BLANKS.match(chr(code)) for code in RAW))
    check("page: and nothing else", not any(
        unsafe.match(chr(code)) for code in range(0x2100) if code not in RAW))


def check_errors():
    """User input is repeated, but not interpreted."""
    nasty = "n\x1b[31m\u202e\x9b\ncprof: fine"
    for words in (["info", nasty], ["info", "--" + nasty], [nasty],
                  ["stats", "--sort=" + nasty], ["stats", "--top=" + nasty],
                  ["convert", "-t", nasty], ["stats", "-f", nasty, PATH],
                  ["convert", "-o", nasty, PATH], ["help", nasty],
                  ["check", "--limits", nasty, PATH, PATH],
                  ["--" + nasty]):
        ran = subprocess.run([CTPROF, *words], stdin=subprocess.DEVNULL,
                             capture_output=True, check=False)
        is_safe(f"error of {words}", ran.stdout)
        said = is_safe(f"error of {words}", ran.stderr)
        check(f"error of {words}: has the name", ran.returncode != 0 and
              "n\\u001b[31m\\u202e\\u009b" in said and
              "\ncprof" not in said, ran.returncode, said)
    for garbage in (b"\x1b[31m\xff\xfe", b'[{"ph":"\x1b\xe2\x80\xae', b"\x1f\x8b"):
        with open(nasty, "wb") as file:
            file.write(garbage)
        ran = subprocess.run([CTPROF, "stats", nasty], capture_output=True,
                             stdin=subprocess.DEVNULL, check=False)
        said = is_safe(f"error in {garbage}", ran.stderr)
        check(f"error in {garbage}: has the file", "n\\u001b[31m" in said, said)


def main():
    global PATH, BAD
    os.chdir(sys.argv[2])
    PATH, BAD = write_inputs()
    check_formats()
    check_reports()
    check_sides()
    check_page()
    check_errors()
    finish()


main()
