# SPDX-License-Identifier: MIT
"""Records of what was run: what went in, by content, and whether that has changed since.

A record is a JSON object in Documentation/records/NAME.json:

    format      1; licence, of the file
    part        its name, as in "make check-all PART=name"
    commit      of this tree, when it ran; date, "2026-11-25"
    went_in     of each of the paths that it is about, 16 digits of what is there
    rows        what it has said with "# row", objects
    seconds     it took; passed, failed, skipped: its tests (not of "figures", README.md's)
    sha256      of all else, as JSON with sorted keys and without spaces
"""
import datetime
import hashlib
import json
import pathlib
import re

FORMAT = 1
# JSON has no comments to name it in; it is among the first lines of each file.
LICENCE = {"licence": "SPDX-License-Identifier: MIT"}
TOP = pathlib.Path(__file__).resolve().parent.parent.parent
KEPT = TOP / "Documentation/records"

# What figures of programs in guests hang on.
IN_GUESTS = ("patches/linux-6.12", "kmod", "uapi", "libxsched", "tools/xschedd", "sim/model", "tests/vgpu",
             "tests/bench")


class Bad(Exception):
    """A record that is not taken, and why."""


def content(name):
    """16 digits for a file or a directory of this tree: names and contents."""
    path = TOP / name
    total = hashlib.sha256()
    for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
        if file.is_file() and "__pycache__" not in file.parts:
            total.update(f"{file.relative_to(TOP)}\0{hashlib.sha256(file.read_bytes()).hexdigest()}\n".encode())
    return total.hexdigest()[:16]


def contents(names):
    return {name: content(name) for name in names}


def checksum(record):
    plain = {key: value for key, value in record.items() if key != "sha256"}
    return hashlib.sha256(json.dumps(plain, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def changed(record):
    """Whether what went in is another now."""
    return any(content(name) != digits for name, digits in record["went_in"].items())


def entry(part, commit, paths, rows):
    """Of a part that has run just now."""
    return {"part": part, "commit": commit, "date": datetime.date.today().isoformat(), "went_in": contents(paths),
            "rows": rows}


def why_not(record):
    """Why it cannot be kept; None: it can."""
    if not re.fullmatch("[0-9a-f]{12}", record["commit"]):
        return f"it ran on {record['commit']}: commit first, and run it again"
    if changed(record):
        return "what went in has changed since: run it again"
    return None


def load(path):
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
        if record["format"] != FORMAT:
            raise Bad(f"{path.name}: its format is {record['format']}, not {FORMAT}: take it anew")
        if record["sha256"] != checksum(record):
            raise Bad(f"{path.name}: its checksum is wrong: take it anew, records are not edited")
        if record["part"] != path.stem:
            raise Bad(f"{path.name}: it is a record of {record['part']}")
    except (ValueError, KeyError, TypeError) as error:
        raise Bad(f"{path.name}: is no record: {error!r}") from error
    return record


def store(record):
    KEPT.mkdir(parents=True, exist_ok=True)
    first = {**LICENCE, "format": FORMAT}
    record = first | dict(sorted(record.items())) | first
    record["sha256"] = checksum(record)
    (KEPT / f"{record['part']}.json").write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
