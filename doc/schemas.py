#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes the JSON Schemas of reports from the program's own tables of columns.

usage: ctprof help --columns | schemas.py DIRECTORY
"""
import json
import os
import sys

WIDTH = 80
TYPES = {"count": "integer", "time": "integer", "bytes": "integer",
         "integer": "integer", "percent": "number", "real": "number",
         "bool": "boolean", "text": "string"}
UNITS = {"time": "ns", "bytes": "bytes", "percent": "%"}
SUFFIX = {"ns": "nanoseconds", "bytes": "bytes", "%": "percent"}
COUNTS = {"type": "object",
          "additionalProperties": {"type": "integer", "minimum": 1}}


class Column:
    def __init__(self, key, kind, when, nullable, absent, empty, words, table,
                 text):
        self.key, self.kind, self.when = key, kind, int(when)
        self.nullable, self.absent = nullable == "1", absent == "1"
        self.empty = empty == "1"
        self.words, self.table, self.text = words, table, text
        self.unit = "ns" if key.endswith("_ns") else UNITS.get(kind)

    def member(self):
        """Its value in JSON."""
        if self.kind == "map":
            values = {"type": TYPES[self.words]} if self.words else {}
            if self.words == "time":
                values["minimum"] = 0
            return {"type": "object", "additionalProperties": values,
                    "description": self.text}
        if self.kind == "object":
            return {"$ref": f"#/$defs/{self.table}"}
        if self.kind == "list":
            items = {"$ref": f"#/$defs/{self.table}"} if self.table else \
                {"type": "string"}
            return {"type": "array", "items": items, "description": self.text}
        if self.words:
            value = {"enum": self.words.split("|") +
                     [None] * bool(self.nullable)}
        else:
            kind = TYPES[self.kind]
            value = {"type": [kind, "null"] if self.nullable else kind}
        if self.kind in ("count", "time", "percent"):
            value["minimum"] = 0
        main, *rest = self.text.split(";")
        if self.unit and SUFFIX[self.unit] not in main:
            main += f", in {SUFFIX[self.unit]}"
        value["description"] = ";".join([main, *rest])
        return value

    def csv(self, always):
        kind = "integer" if self.kind == "bool" else TYPES[self.kind]
        value = {"name": self.key, "type": kind}
        if self.unit:
            value["unit"] = self.unit
        if self.kind in ("count", "time", "percent", "bool"):
            value["minimum"] = 0
        if self.words:
            value["enum"] = self.words.split("|")
        if (self.nullable or self.empty) and (kind != "string" or self.words):
            value["nullable"] = True
        if self.when & ~always:
            value["optional"] = True
        if "<device>" in self.key:
            value["each"] = "device"
        value["description"] = self.text
        return value


class Table:
    def __init__(self, kind, key, bits, text):
        self.kind, self.key, self.bits = kind, key, int(bits)
        self.text, self.columns = text, []

    def parts(self, always):
        """Keywords for an object of these members. Members that depend on the
        same, or on less, occur together."""
        sure = [c for c in self.columns if not c.absent]
        needs = {c.key: [o.key for o in sure
                         if o is not c and o.when & ~always and
                         not o.when & ~always & ~c.when]
                 for c in self.columns if c.when & ~always}
        parts = {"type": "object",
                 "required": [c.key for c in sure if not c.when & ~always],
                 "additionalProperties": False,
                 "properties": {c.key: c.member() for c in self.columns}}
        needs = {key: others for key, others in needs.items() if others}
        if needs:
            parts["dependentRequired"] = needs
        return parts


class Report:
    def __init__(self, schema, title, always):
        self.schema, self.title, self.tables = schema, title, []
        self.always = int(always)

    def of(self, kind):
        return [table for table in self.tables if table.kind == kind]

    def null_tables(self):
        return {c.table for t in self.tables for c in t.columns
                if c.kind == "object" and c.nullable}

    def document(self, row):
        """The object and its definitions; `row` is the name of its rows."""
        head = Table("head", "", 0, "")
        head.columns = [c for t in self.of("head") for c in t.columns]
        parts = head.parts(self.always)
        common = {
            "schema": {"const": self.schema, "description": "this schema"},
            "inputs": {"type": "array", "items": {"type": "string"},
                       "description": "the inputs as they were named"},
            "lost": {**COUNTS, "description": "counts of lost data, by kind; "
                                              "empty if nothing was lost"},
            "notes": {**COUNTS, "description":
                      "counts of data left out or changed without harm, by "
                      "kind"},
            "truncated": {"type": "boolean", "description":
                          "rows were left out, or an input was cut off"},
        }
        names = {"rows": row}
        arrays = {t.key: {"type": "array", "items": {
            "$ref": f"#/$defs/{names.get(t.key, t.key)}"},
                          "description": t.text} for t in self.of("array")}
        parts["required"] = [*common, *parts["required"], *(
            t.key for t in self.of("array") if not t.bits)]
        parts["properties"] = {**common, **parts["properties"], **arrays}
        definitions = {}
        for table in self.of("array") + self.of("nested"):
            name = names.get(table.key, table.key)
            definitions[name] = table.parts(self.always)
            if name in self.null_tables():
                definitions[name]["type"] = ["object", "null"]
            if table.text:
                definitions[name]["description"] = table.text
        return {"title": f"{self.title} --json", **parts}, definitions

    def csv(self):
        return {"$id": f"{self.schema}.csv", "title": f"{self.title} --csv",
                "columns": [column.csv(self.always)
                            for column in self.of("csv")[0].columns]}


def json_schema(reports):
    """The schema of one report, or of alternatives."""
    objects, definitions = zip(*(
        report.document(f"row{i}" if i > 1 else "row")
        for i, report in enumerate(reports, 1)))
    body = objects[0] if len(objects) == 1 else {
        "title": objects[0]["title"], "oneOf": list(objects)}
    return {"$schema": "https://json-schema.org/draft/2020-12/schema",
            "$id": reports[0].schema, **body,
            "$defs": {key: part for parts in definitions
                      for key, part in parts.items()}}


def read_reports(lines):
    reports = []
    for line in lines:
        what, *fields = line.rstrip("\n").split("\t")
        if what == "report":
            reports.append(Report(*fields))
        elif what == "table":
            reports[-1].tables.append(Table(*fields))
        else:
            reports[-1].tables[-1].columns.append(Column(*fields))
    return reports


def fill(words, indent):
    """Words in lines of at most WIDTH characters."""
    lines = [""]
    for word in words:
        if len(indent) + len(lines[-1]) + len(word) + 1 > WIDTH and lines[-1]:
            lines.append("")
        lines[-1] += (" " if lines[-1] else "") + word
    return [indent + line for line in lines]


def text_of(value, indent="", before=0):
    line = json.dumps(value, ensure_ascii=False)
    if not isinstance(value, (dict, list)) or \
            len(indent) + before + len(line) + 1 <= WIDTH:
        return line
    deeper = indent + "  "
    if isinstance(value, dict):
        items = []
        for key, item in value.items():
            start = json.dumps(key) + ": "
            items.append(deeper + start + text_of(item, deeper, len(start)))
        return "{\n" + ",\n".join(items) + "\n" + indent + "}"
    if all(isinstance(item, str) for item in value):
        words = [json.dumps(item) + "," for item in value]
        words[-1] = words[-1][:-1]
        return "[\n" + "\n".join(fill(words, deeper)) + "\n" + indent + "]"
    items = [deeper + text_of(item, deeper) for item in value]
    return "[\n" + ",\n".join(items) + "\n" + indent + "]"


def main():
    reports = {}
    for report in read_reports(sys.stdin):
        reports.setdefault(report.schema, []).append(report)
    for schema, forms in reports.items():
        name, number = schema.removeprefix("ctprof/").split("/")
        documents = {".json": json_schema(forms)}
        if forms[0].of("csv"):
            documents[".csv.json"] = forms[0].csv()
        for suffix, document in documents.items():
            path = os.path.join(sys.argv[1], f"{name}-{number}{suffix}")
            with open(path, "w", encoding="utf-8") as out:
                out.write(text_of(document) + "\n")


main()
