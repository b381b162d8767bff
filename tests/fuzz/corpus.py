#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A corpus as one file of text, so that a change of it can be read: a line is an input, as a string of JSON, in which
each byte is a character of the same number. What begins with "#" is a comment.

    tests/fuzz/corpus.py unpack FILE DIR    each input as a file of DIR, named by its content
    tests/fuzz/corpus.py pack DIR FILE      the inputs of DIR, the shortest first, below the comments that FILE has
"""
import hashlib
import json
import pathlib
import sys

LONGEST = 512       # longer ones are left out: they can be grown again


def comments_of(path):
    lines = path.read_text(encoding="ascii").splitlines() if path.exists() else []
    return [line for line in lines if line.startswith("#")] or ["# SPDX-License-Identifier: MIT"]


def unpack(file, directory):
    directory.mkdir(parents=True, exist_ok=True)
    for line in file.read_text(encoding="ascii").splitlines():
        if line and not line.startswith("#"):
            data = json.loads(line).encode("latin-1")
            (directory / hashlib.sha1(data).hexdigest()).write_bytes(data)


def pack(directory, file):
    inputs = {path.read_bytes() for path in directory.iterdir() if path.is_file()}
    kept = sorted((data for data in inputs if len(data) <= LONGEST), key=lambda data: (len(data), data))
    lines = [json.dumps(data.decode("latin-1")) for data in kept]
    file.write_text("\n".join(comments_of(file) + lines) + "\n", encoding="ascii")


VERBS = {"unpack": unpack, "pack": pack}
if len(sys.argv) != 4 or sys.argv[1] not in VERBS:
    sys.exit(__doc__)
VERBS[sys.argv[1]](pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3]))
