# SPDX-License-Identifier: MIT
"""TAP for checks in Python: test(), and end() at the end."""

_count = 0
_failed = False


def test(what, wrong):
    """One line; it is ok if there is nothing in @wrong, whose lines are shown else."""
    global _count, _failed
    _count += 1
    print(f"{'not ok' if wrong else 'ok'} {_count} - {what}")
    for line in wrong:
        print(f"# {line}")
    _failed |= bool(wrong)


def end():
    """The plan. Return whether some failed. What comes next begins anew."""
    global _count, _failed
    print(f"1..{_count}")
    failed, _count, _failed = _failed, 0, False
    return failed
