# SPDX-License-Identifier: MIT
"""Makes hostile profiles, and compares a rendered table with the JSON report.

markdown_check.py make BASE NEW: names that mean something in Markdown
markdown_check.py many BASE NEW: many functions with long names
markdown_check.py read HTML JSON: the table has these names and times
"""
import html.parser
import json
import sys

NAMES = ["operator|(a, b)", "@user/repo", "#12", "`x` ``y", "`", "a\\|b", "\\",
         "**bold**", "__init__", "~~gone~~", "<b>x</b>", "&lt;", "[x](y)",
         "https://x.example/", "<!-- x", "</details>", "$x$", ":tada:",
         "| a | b |", "\u00e9\u4e2d", "\u202eabc", "---"]


def make(base, new):
    with open(base, "w", encoding="utf-8") as one, \
            open(new, "w", encoding="utf-8") as two:
        for at, name in enumerate(NAMES):
            one.write(f"{name} {1000000 + at}\n")
            two.write(f"{name} {2000000 + 10000 * at}\n")


def many(base, new):
    with open(base, "w", encoding="utf-8") as one, \
            open(new, "w", encoding="utf-8") as two:
        for at in range(3000):
            name = f"f{at}|" + "\u4e2d" * 400
            one.write(f"{name} 1000\n")
            two.write(f"{name} {1001 + at}\n")


class Cells(html.parser.HTMLParser):
    """The texts of the cells of all rows; no element is in them but code."""

    def __init__(self):
        super().__init__()
        self.rows = []
        self.cell = None

    def handle_starttag(self, tag, attrs):
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.cell = ""
        else:
            assert self.cell is None or tag in ("code", "strong"), tag

    def handle_endtag(self, tag):
        if tag in ("td", "th"):
            self.rows[-1].append(self.cell)
            self.cell = None

    def handle_data(self, data):
        if self.cell is not None:
            self.cell += data


def read(page, report):
    cells = Cells()
    with open(page, encoding="utf-8") as file:
        cells.feed(file.read())
    with open(report, encoding="utf-8") as file:
        rows = json.load(file)["rows"]
    shown = {row[1]: row for row in cells.rows if row[1] != "function"}
    names = {row["name"].replace("\u202e", "\\u202e"): row for row in rows
             if row["delta_ns"] != 0}
    assert set(shown) == set(names), set(shown) ^ set(names)
    for name, row in names.items():
        for column, side in ((2, "base"), (3, "new")):
            value = f"{row[side]['total_ns'] / 1e6:.3f} ms"
            assert shown[name][column] == value, (name, shown[name], value)


{"make": make, "many": many, "read": read}[sys.argv[1]](*sys.argv[2:])
