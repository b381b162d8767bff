# SPDX-License-Identifier: MIT
"""The part of JSON Schema (draft 2020-12) that our documents need; any other keyword is an error of the schema."""
import json
import math
import pathlib

HERE = pathlib.Path(__file__).resolve().parent
TYPES = {"object": dict, "array": list, "string": str, "integer": int, "number": (int, float), "boolean": bool,
         "null": type(None)}
SAID = {"licence", "$schema", "$defs", "title", "description"}


def read_schema(name):
    return json.loads((HERE / f"{name}.schema.json").read_text(encoding="utf-8"))


def is_of(value, kind):
    if isinstance(value, bool):
        return kind == "boolean"
    return isinstance(value, TYPES[kind]) and not (isinstance(value, float) and not math.isfinite(value))


class Schema:
    """Keywords are methods: each says what is wrong with a value, and where."""

    def __init__(self, root):
        self.root = root

    def errors(self, value, schema=None, where="document"):
        schema = self.root if schema is None else schema
        for keyword, wanted in schema.items():
            if keyword not in SAID:
                yield from getattr(self, "is_" + keyword.strip("$"))(value, wanted, schema, where)

    def is_ref(self, value, wanted, _, where):
        yield from self.errors(value, self.root["$defs"][wanted.removeprefix("#/$defs/")], where)

    def is_type(self, value, wanted, _, where):
        if not any(is_of(value, kind) for kind in ([wanted] if isinstance(wanted, str) else wanted)):
            yield f"{where} is {value!r}, not of type {wanted}"

    def is_const(self, value, wanted, _, where):
        if value != wanted:
            yield f"{where} is {value!r}, not {wanted!r}"

    def is_enum(self, value, wanted, _, where):
        if value not in wanted:
            yield f"{where} is {value!r}, none of {wanted}"

    def is_minimum(self, value, wanted, _, where):
        if is_of(value, "number") and value < wanted:
            yield f"{where} is {value}, less than {wanted}"

    def is_minItems(self, value, wanted, _, where):  # noqa: N802 (as the keyword)
        if isinstance(value, list) and len(value) < wanted:
            yield f"{where} has {len(value)} elements, less than {wanted}"

    def is_required(self, value, wanted, _, where):
        if isinstance(value, dict):
            yield from (f"{where}: {name} is missing" for name in wanted if name not in value)

    def is_properties(self, value, wanted, _, where):
        if isinstance(value, dict):
            for name in value.keys() & wanted.keys():
                yield from self.errors(value[name], wanted[name], f"{where}.{name}")

    def is_additionalProperties(self, value, wanted, schema, where):  # noqa: N802
        others = value.keys() - schema.get("properties", {}).keys() if isinstance(value, dict) else ()
        for name in sorted(others):
            if wanted is False:
                yield f"{where}: {name} is not known"
            else:
                yield from self.errors(value[name], wanted, f"{where}.{name}")

    def is_items(self, value, wanted, _, where):
        for number, element in enumerate(value if isinstance(value, list) else []):
            yield from self.errors(element, wanted, f"{where}[{number}]")
