# SPDX-License-Identifier: MIT
"""Events of the kernel's ring buffer, as trace_pipe_raw and the format files of tracefs have them.

Text has microseconds only. A page begins with its time and the number of its bytes; each event, with a word of which
the low five bits are its length in words, or say what else it is (include/linux/ring_buffer.h)."""
import re
import struct

PAGE = 4096
LENGTH = 0xfffff      # of a page; bits above say that events before it were lost
LOST = 1 << 31
COMMON = 8            # bytes of the fields that all events have
LARGE, PADDING, TIME_EXTEND, TIME_STAMP = 0, 29, 30, 31
DELTA_BITS = 27
FIELD = re.compile(r"\tfield:.*\b(\w+);\toffset:(\d+);\tsize:(\d+);\tsigned:([01]);")


class BadTrace(ValueError):
    """It is not what a kernel writes, or not all of it."""


def read_formats(text):
    """Number of each event: its name, and its fields that are numbers, as (name, offset, bytes, signed)."""
    found = {}
    for part in re.split(r"^(?=name: )", text, flags=re.MULTILINE):
        head = re.match(r"name: (\w+)\nID: (\d+)\n", part)
        if head:
            fields = [(name, int(offset), int(size), signed == "1")
                      for name, offset, size, signed in FIELD.findall(part)]
            found[int(head[2])] = head[1], fields
    return found


def page_records(page):
    """(time, data) of each event of a page."""
    now, commit = struct.unpack_from("<QQ", page)
    at, end = 16, 16 + (commit & LENGTH)
    if commit & LOST or end > PAGE:
        raise BadTrace("events were lost" if commit & LOST else "a page is longer than a page")
    while at < end:
        word, more = struct.unpack_from("<II", page.ljust(PAGE + 8, b"\0"), at)
        kind, delta = word & 31, word >> 5
        if kind == PADDING:
            if not delta:
                return
            at += 4 + more
            continue
        if kind == TIME_STAMP:
            now = (more << DELTA_BITS) + delta
            at += 8
            continue
        now += delta
        if kind == TIME_EXTEND:
            now += more << DELTA_BITS
            at += 8
            continue
        start, size = (at + 8, more - 4) if kind == LARGE else (at + 4, 4 * kind)
        if size < COMMON or start + size > end:
            raise BadTrace("an event is longer than its page, or has no fields")
        yield now, page[start:start + size]
        at = start + size


def decode(now, data, formats):
    number, = struct.unpack_from("<H", data)
    if number not in formats:
        raise BadTrace(f"event {number} has no format")
    name, fields = formats[number]
    if any(offset + size > len(data) for _, offset, size, _ in fields):
        raise BadTrace(f"a {name} is shorter than its format")
    return now, name, {field: int.from_bytes(data[offset:offset + size], "little", signed=signed)
                       for field, offset, size, signed in fields}


def read_events(pages, formats):
    """(time, name, {field: value}) of each event, in the order in which they were written."""
    if len(pages) % PAGE:
        raise BadTrace("the last page is not whole")
    return [decode(now, data, formats) for start in range(0, len(pages), PAGE)
            for now, data in page_records(pages[start:start + PAGE])]


def check_stats(text, count):
    """Of the CPU's buffer: all that was written is there."""
    stats = dict(re.findall(r"^([a-z ]+): (\d+)$", text, flags=re.MULTILINE))
    if stats.get("entries") != str(count) or stats.get("overrun") != "0" or stats.get("dropped events") != "0":
        raise BadTrace(f"{count} events were read, and the buffer had {stats.get('entries')}, lost "
                       f"{stats.get('overrun')} and {stats.get('dropped events')}")
