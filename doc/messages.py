#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Prints doc/guide/troubleshooting.md with the messages that name a cure, as
the sources have them. A message names its cure behind its last semicolon.
`make readme` puts that in the page's place.

Usage: messages.py SRCDIR
"""
import ast
import pathlib
import re
import sys

AREAS = (
    ("Command line and output", "bin/cli", "bin/cmd_", "bin/input", "bin/main"),
    ("Recording", "bin/record", "lib", "python"),
    ("Reading and converting", "bin", "formats"),
)
TOKEN = re.compile(
    r"""(?P<skip>/\*.*?\*/|//[^\n]*|\s+)
    |(?P<define>^[ \t]*\#(?:[^\n\\]|\\.)*)
    |(?P<text>"(?:[^"\\\n]|\\.)*")
    |(?P<char>'(?:[^'\\\n]|\\.)*')
    |(?P<name>\w+)
    |(?P<other>.)""", re.S | re.M | re.X)
DEFINE = re.compile(r"\s*#\s*define\s+(\w+)\s+(.*)", re.S)
COLUMN = re.compile(r"COLUMNS?(_\w+)?$")
# Descriptions of options, and members of tables of functions.
NO_MESSAGE = re.compile(r"((ARGUMENT|METH)_\w+) , $|\. (help|summary) = $")


def tokens_of(source):
    return [(match.lastgroup, match.group()) for match in TOKEN.finditer(source)
            if match.lastgroup != "skip"]


def join(tokens, macros):
    """The text of adjacent literals and macros, as C joins them."""
    text = ""
    for kind, token in tokens:
        if kind == "text":
            text += token[1:-1]
        elif token in macros:
            text += macros[token]
        else:
            text += "d" if token.startswith("PRI") else "..."
    return text


def is_literal(token, macros):
    return token[0] == "text" or token[1] in macros or (
        token[0] == "name" and token[1].startswith("PRI"))


def macros_of(tokens):
    bodies = {}
    for kind, token in tokens:
        match = DEFINE.match(token) if kind == "define" else None
        if match:
            bodies[match[1]] = tokens_of(match[2].replace("\\\n", " "))
    macros = {}
    for _ in range(4):  # macros of macros
        for name, body in bodies.items():
            if body and all(is_literal(token, macros) for token in body):
                macros[name] = join(body, macros)
    return macros


def without_columns(tokens):
    """Leaves out the columns of reports, whose texts are for schemas."""
    depth = 0
    was_column = False
    for kind, token in tokens:
        if depth > 0 or (was_column and token == "("):
            depth += (token == "(") - (token == ")")
        else:
            yield kind, token
        was_column = COLUMN.match(token) is not None


def messages_of_c(source):
    tokens = list(without_columns(tokens_of(source)))
    macros = macros_of(tokens)
    at = 0
    while at < len(tokens):
        end = at
        while end < len(tokens) and is_literal(tokens[end], macros):
            end += 1
        before = "".join(token + " " for _, token in tokens[max(0, at - 3):at])
        if end > at and not NO_MESSAGE.search(before):
            yield join(tokens[at:end], macros)
        at = max(end, at + 1)


def messages_of_python(source):
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Raise):
            continue
        for text in ast.walk(node):
            if isinstance(text, ast.JoinedStr):
                yield "".join(part.value if isinstance(part, ast.Constant)
                              else "%s" for part in text.values)
            elif isinstance(text, ast.Constant) and isinstance(text.value, str):
                yield text.value


def row_of(message):
    """A row of the table, or None if the message names no cure."""
    text = message.removesuffix("\\n").replace('\\"', '"')
    text = re.sub(r"%[-+#0-9.*]*(?:zu|l*[a-z]|%)", "...", text)
    text = re.sub(r"(\.\.\.){2,}", "...", text)
    text = text.removeprefix("...: ").replace("|", "\\|")
    problem, _, cure = re.sub(r"(--\w+)\.$", r"\1", text).rpartition("; ")
    if not re.search("[a-z]", problem) or "\\" in text.replace("\\|", "") or \
            not re.match(r"(\.?[a-z'-]|CTPROF).* .*[\w'.?/)]$", cure) or "(" in problem.rpartition(")")[2]:
        return None
    return f"| {problem} | {cure} |"


def area_of(path):
    return next(area[0] for area in AREAS if path.startswith(area[1:]))


def main():
    root = pathlib.Path(sys.argv[1])
    rows = {area[0]: set() for area in AREAS}
    for folder in ("bin", "formats", "lib", "python"):
        for path in sorted((root / folder).rglob("*.[chp]*")):
            messages = {".c": messages_of_c, ".h": messages_of_c,
                        ".py": messages_of_python}.get(path.suffix)
            if messages is None or path.name == "setup.py":
                continue
            found = (row_of(message) for message in messages(path.read_text()))
            area = area_of(str(path.relative_to(root)))
            rows[area].update(row for row in found if row)
    page = (root / "doc/guide/troubleshooting.md").read_text()
    mark = "<!-- messages: make readme -->\n"
    print(page[:page.index(mark)] + mark, end="")
    for area, found in rows.items():
        print(f"\n### {area}\n\n| message | cure |\n| --- | --- |")
        print("\n".join(sorted(found, key=str.lower)))


if __name__ == "__main__":
    main()
