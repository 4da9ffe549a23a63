# SPDX-License-Identifier: MIT
"""
Counts constructions that STYLE in CONTRIBUTING.md rules out, in comments,
strings, manual pages, Markdown and names of tests.

    prose.py [--list [PATTERN]] [FILE...]

Without FILE it reads every file that git or the tarball holds. It prints one
line for each pattern and fails if a count is above its budget. --list prints
each place instead; a place that stays has been decided.
"""
import ast
import os
import re
import sys

# The limits for remaining uses. Lower a number when you remove a use.
BUDGET = {
    "headless": 0,  # "What is left out is counted."
    "fronted": 1,  # "Of several, the first counts."
    "so many": 0,  # "so many bytes" for "N bytes"
    "said": 0,  # "is said to be", "is told by"
    "none": 4,  # "is none" for "is missing" or "is not a"
    "no kind": 0,  # "is no X", "in no X" for "is not an X", "outside of any X"
    "place": 1,  # "stands above", "lies in" for "is above", "is in"
    "as by": 0,  # "as by --top" for "for example by --top"
    "says": 6,  # of code: "as the header says"
    "long": 13,  # over 35 words
    "names": 0,  # tests called who_... or what_...
}
LONGEST = 35

PATTERNS = {
    "headless": re.compile(
        r"^(What|Whatever|Who|Whoever|Whose|Those|Such as|That which|"
        r"That who|Where those|Which)\b(?!.*\?$)(?![^.]*:$)"
    ),
    "fronted": re.compile(r"^(Of|Likewise of|But of|And of|Or of)\b"),
    "so many": re.compile(r"\b[Ss]o (many|much)\b"),
    "said": re.compile(
        r"\b(is|are|was|were|be|been|being|gets?) (not |also |only )?"
        r"(said|told)\b"
    ),
    "none": re.compile(
        r"(?<![Tt]here )\b(is|are|was|were|be|has|have) none\b"
    ),
    "no kind": re.compile(
        r"(?<![Tt]here )\b(is|are|was|were|be) no (?!(longer|more|later|"
        r"earlier|less|larger|smaller)\b)|\b(of|in|to|by|into) no (?!more\b)"
    ),
    "place": re.compile(
        r"\b(stands?|stood)\b(?! for\b|-in)|\b(lie|lies|lay)\b"
    ),
    "as by": re.compile(r"\bas (by|of|to)\b(?! (now|how|what|whether)\b)"),
    "says": re.compile(r"\b(says|tells)\b"),
}
CODE = (".c", ".h", ".cc", ".js", ".css", ".map")
SCRIPT = (".py", ".sh", ".mk", ".am", ".ac", ".rules", ".txt", ".awk")


def c_pieces(text):
    """Comments and strings of C: (line, kind, text); joins adjacent
    strings, and comments of // on successive lines."""
    token = re.compile(
        r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S
    )
    last_end, last = -1, None
    for match in token.finditer(text):
        piece = match.group()
        line = text.count("\n", 0, match.start()) + 1
        if piece.startswith("'"):
            continue
        if piece.startswith("/*"):
            kind = "comment"
            body = re.sub(r"(?m)^[ \t]*\*(?!/)[ \t]?", "", piece[2:-2])
        elif piece.startswith("//"):
            kind, body = "comment", piece[2:]
        else:
            kind = "string"
            body = piece[1:-1].replace("\\n", "\n").replace('\\"', '"')
        between = text[last_end : match.start()] if last else "x"
        if last and last[1] == kind and (
            kind == "string" and not re.sub(r"PRI[a-z]\d+|\s", "", between)
            or piece.startswith("//") and between.strip() == ""
        ):
            last[2] += ("" if kind == "string" else "\n") + body
        else:
            if last:
                yield last
            last = [line, kind, body]
        last_end = match.end()
    if last:
        yield last


def script_pieces(text):
    """Comments of scripts."""
    block, start = [], 0
    for number, line in enumerate(text.split("\n") + [""], 1):
        match = re.match(r"[^\"'`]*?(?:^|\s)#(?!!)(?: ?)(.*)", line)
        if match and not re.match(r"\s*#\s*(SPDX|file:|pylint|noqa)", line):
            if not block:
                start = number
            block.append(match.group(1))
        elif block:
            yield [start, "comment", "\n".join(block)]
            block = []


def python_pieces(text):
    yield from script_pieces(text)
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef,
                             ast.AsyncFunctionDef)):
            docstring = ast.get_docstring(node)
            if docstring:
                yield [node.body[0].lineno, "comment", docstring]


def markdown_pieces(text):
    text = text.partition("<!-- messages:")[0]  # tables made from the sources
    text = re.sub(
        r"(?ms)^```.*?^```$|<!--.*?-->",
        lambda match: "\n" * match.group().count("\n"),
        text,
    )
    paragraph, start = [], 0
    for number, line in enumerate(text.split("\n") + [""], 1):
        item = re.match(r"\s*([*+-]|\d+\.) +(.*)", line)
        if line.startswith(("    ", "\t")) and not paragraph:
            line = ""
        if item or line.startswith(("#", "|", ">")) or not line.strip():
            if paragraph:
                yield [start, "prose", "\n".join(paragraph)]
            paragraph = []
        if line.startswith("|"):
            for cell in line.strip("| ").split(" | "):
                yield [number, "prose", cell]
            continue
        if item:
            line = item.group(2)
        if line.strip():
            if not paragraph:
                start = number
            paragraph.append(line.lstrip("#> "))


def manual_pieces(text):
    paragraph, start, example = [], 0, False
    for number, line in enumerate(text.split("\n") + [".PP"], 1):
        if re.match(r"\.(EX|nf|Bd)", line):
            example = True
        macro = re.match(r"\.(B|I|BR|IR|BI|IB|RB|RI|Nm|Fl|Ar|Pa|Xr|Ql|Li|Cm|"
                         r"Fn|Vt|Dv|Em|Sy|Ev)\b ?(.*)", line)
        if macro and not example:
            line = macro.group(2)
        elif line.startswith((".", "'")) or not line.strip() or example:
            if paragraph:
                yield [start, "prose", "\n".join(paragraph)]
            paragraph = []
            if re.match(r"\.(EE|fi|Ed)", line):
                example = False
            continue
        if not paragraph:
            start = number
        line = re.sub(r"\\f[BIRP]|\\&|\\fP", "", line).replace("\\-", "-")
        paragraph.append(line)


def pieces(path, text):
    name = os.path.basename(path)
    if path.endswith(CODE):
        yield from c_pieces(text)
    elif path.endswith(".md"):
        yield from markdown_pieces(text)
    elif re.search(r"\.[135](\.in)?$", name):
        yield from manual_pieces(text)
    elif path.endswith(".py"):
        yield from python_pieces(text)
    elif path.endswith(SCRIPT) or name in ("bootstrap", "run"):
        yield from script_pieces(text)


def sentences(line, text):
    """(line, sentence) for each sentence of a piece."""
    for paragraph in re.split(r"(\n[ \t]*\n|\n(?=[ \t]*[-*•] ))", text):
        start = line
        line += paragraph.count("\n")
        # A line with columns is not part of a sentence.
        paragraph = re.sub(
            r"(?m)^(.*\S {3,}\S.*|.*\t.*|shellcheck.*|[Uu]sage:.*)$",
            ".",
            paragraph,
        )
        flat = re.sub(r"\s+", " ", paragraph).strip(" *-")
        for sentence in re.split(r"(?<=[.!?])[\"')]* (?=[\"'(`A-Z])", flat):
            yield start, sentence.strip()


def findings(path, text):
    for line, kind, piece in pieces(path, text):
        if kind == "string" and len(piece.split()) < 3:
            continue
        for at, sentence in sentences(line, piece):
            for name, pattern in PATTERNS.items():
                # A heading may say "What changed".
                if name == "headless" and len(sentence.split()) < 6:
                    continue
                for _ in pattern.finditer(sentence):
                    yield name, at, sentence
            words = re.findall(r"[A-Za-z][\w'-]*", sentence)
            if len(words) > LONGEST and kind != "string":
                yield "long", at, sentence
    for match in re.finditer(r"(?:START_TEST\(|def test_)(\w+)", text):
        if re.match(r"(who|what|whose|those|of|such)_", match.group(1)):
            at = text.count("\n", 0, match.start()) + 1
            yield "names", at, match.group(1)


def every_file():
    for folder, folders, files in os.walk("."):
        folders[:] = sorted(
            name
            for name in folders
            if not name.startswith((".", "build", "autom4te", "_build"))
            and name not in ("bad", "golden", "schemas", "traces", "m4",
                             "__pycache__", "node_modules")
            and not name.endswith(".egg-info")
        )
        for name in sorted(files):
            path = os.path.normpath(os.path.join(folder, name))
            if path.endswith(CODE + SCRIPT + (".md",)) or re.search(
                r"\.[135](\.in)?$", name
            ) or path in ("bootstrap", ".ci/run"):
                yield path


def main(arguments):
    listed = None
    if arguments and arguments[0] == "--list":
        arguments = arguments[1:]
        listed = ""
        if arguments and arguments[0] in BUDGET:
            listed = arguments[0]
            arguments = arguments[1:]
    counts = dict.fromkeys(BUDGET, 0)
    for path in arguments or every_file():
        with open(path, encoding="utf-8", errors="replace") as file:
            text = file.read()
        for name, line, sentence in findings(path, text):
            counts[name] += 1
            if listed == "" or listed == name:
                print(f"{path}:{line}: {name}: {sentence}")
    if listed is not None:
        return 0
    over = 0
    for name, count in counts.items():
        mark = "" if count <= BUDGET[name] else "  over budget"
        print(f"{name:10} {count:5} of {BUDGET[name]}{mark}")
        over += count > BUDGET[name]
    return 1 if over and not arguments else 0


sys.exit(main(sys.argv[1:]))
