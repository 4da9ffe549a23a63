# SPDX-License-Identifier: MIT
"""Validates values against JSON Schema 2020-12, as far as our schemas use it,
and CSV against the described columns. An unknown keyword is an error: it would
be ignored."""
import csv
import io
import re

TYPES = {
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "string": lambda value: isinstance(value, str),
    "boolean": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
    "integer": lambda value: type(value) is int,
    "number": lambda value: type(value) in (int, float),
}
ANNOTATIONS = {"$schema", "$id", "$defs", "title", "description"}
INTEGER = re.compile(r"-?(0|[1-9][0-9]*)$")
NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?(e[-+]?[0-9]+)?$")
COLUMN = {"name", "type", "unit", "minimum", "enum", "nullable", "optional",
          "each", "description"}


class Refused(Exception):
    pass


def refuse(where, what):
    raise Refused(f"{where}: {what}")


class Schema:
    """`seen` gathers the definitions' members that values had."""

    def __init__(self, document):
        self.document = document
        self.seen = set()
        self.keywords = {
            "$ref": self.see_ref, "type": self.see_type,
            "enum": self.see_enum, "const": self.see_const,
            "minimum": self.see_minimum, "oneOf": self.see_one_of,
            "items": self.see_items, "properties": self.see_properties,
            "required": self.see_required,
            "dependentRequired": self.see_dependent,
            "additionalProperties": self.see_additional,
        }

    def validate(self, value):
        self.see(self.document, value, "$")

    def see(self, schema, value, where):
        for keyword, content in schema.items():
            if keyword in self.keywords:
                self.keywords[keyword](schema, content, value, where)
            elif keyword not in ANNOTATIONS:
                raise ValueError(f"{where}: keyword {keyword}")

    def see_ref(self, _, content, value, where):
        before, name = content.rsplit("/", 1)
        assert before == "#/$defs", content
        self.see(self.document["$defs"][name], value, where)

    def see_type(self, _, content, value, where):
        words = [content] if isinstance(content, str) else content
        if not any(TYPES[word](value) for word in words):
            refuse(where, f"{value!r} is not of type {content}")

    def see_enum(self, _, content, value, where):
        if value not in content:
            refuse(where, f"{value!r} is none of {content}")

    def see_const(self, _, content, value, where):
        if value != content:
            refuse(where, f"{value!r} is not {content!r}")

    def see_minimum(self, _, content, value, where):
        if TYPES["number"](value) and value < content:
            refuse(where, f"{value} is below {content}")

    def see_one_of(self, _, content, value, where):
        whys = []
        for schema in content:
            try:
                self.see(schema, value, where)
            except Refused as why:
                whys.append(str(why))
        if len(content) - len(whys) != 1:
            refuse(where, "; ".join(whys) or "matches several")

    def see_items(self, _, content, value, where):
        if isinstance(value, list):
            for i, item in enumerate(value):
                self.see(content, item, f"{where}[{i}]")

    def see_properties(self, _, content, value, where):
        if isinstance(value, dict):
            for key in content.keys() & value.keys():
                self.seen.add(id(content[key]))
                self.see(content[key], value[key], f"{where}.{key}")

    def see_required(self, _, content, value, where):
        if isinstance(value, dict) and not set(content) <= value.keys():
            refuse(where, f"has no {set(content) - value.keys()}")

    def see_dependent(self, _, content, value, where):
        for key, others in content.items():
            if isinstance(value, dict) and key in value:
                self.see_required(_, others, value, where)

    def see_additional(self, schema, content, value, where):
        if not isinstance(value, dict):
            return
        more = value.keys() - schema.get("properties", {}).keys()
        if content is False and more:
            refuse(where, f"has {more}, too")
        for key in more:
            self.see(content, value[key], f"{where}.{key}")


def check_cell(column, cell, where):
    if cell == "" and column.get("nullable"):
        return
    if "enum" in column and cell not in column["enum"]:
        refuse(where, f"{cell!r} is none of {column['enum']}")
    if column["type"] == "string":
        return
    pattern = INTEGER if column["type"] == "integer" else NUMBER
    if not pattern.match(cell):
        refuse(where, f"{cell!r} is not of type {column['type']}")
    if float(cell) < column.get("minimum", float("-inf")):
        refuse(where, f"{cell} is below {column['minimum']}")


def name_each(columns, header):
    """A column that exists for each device has the device in its name. All
    columns of one device come before those of the next."""
    fixed = {column["name"] for column in columns}
    each = [column for column in columns if "each" in column]
    named = [column for column in columns if "each" not in column]
    if not each:
        return columns
    place = f"<{each[0]['each']}>"
    pattern = re.escape(each[0]["name"]).replace(re.escape(place), "(.+)")
    found = [re.fullmatch(pattern, name)
             for name in header if name not in fixed]
    at = columns.index(each[0])
    named[at:at] = [
        {**column, "like": column["name"],
         "name": column["name"].replace(place, match[1])}
        for match in found if match for column in each]
    return named


def check_csv(columns, text):
    """Returns the names of the columns, and the number of lines after them."""
    lines = list(csv.reader(io.StringIO(text, newline="")))
    header = lines.pop(0)
    there = [column for column in name_each(columns, header)
             if column["name"] in header or not column.get("optional")]
    if [column["name"] for column in there] != header:
        refuse("header", f"is {header}")
    for number, line in enumerate(lines, 1):
        if len(line) != len(there):
            refuse(f"line {number}", f"has {len(line)} fields")
        for column, cell in zip(there, line):
            check_cell(column, cell, f"line {number}, {column['name']}")
    return header, len(lines)
