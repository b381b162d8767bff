# SPDX-License-Identifier: MIT
"""What our documents are judged by: NAME.schema.json beside this file, JSON Schema of the draft 2020-12."""
import json
import math
import pathlib

import jsonschema

HERE = pathlib.Path(__file__).resolve().parent
# Of a message, that may have a whole document in it.
HEAD, TAIL = 60, 100


def is_number(_, value):
    """None that JSON itself does not have, but Python's module reads."""
    return not isinstance(value, bool) and isinstance(value, (int, float)) and math.isfinite(value)


Validator = jsonschema.validators.extend(
    jsonschema.Draft202012Validator, type_checker=jsonschema.Draft202012Validator.TYPE_CHECKER.redefine("number", is_number))


def errors(name, document):
    """What is wrong with a document, by that schema, and where."""
    schema = json.loads((HERE / f"{name}.schema.json").read_text(encoding="utf-8"))
    for error in Validator(schema).iter_errors(document):
        said = error.message
        if len(said) > HEAD + TAIL:
            said = f"{said[:HEAD]} ... {said[-TAIL:]}"
        yield f"{error.json_path}: {said}"
