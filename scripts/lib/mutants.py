# SPDX-License-Identifier: MIT
"""Mutants of the module: a line that is wrong in one place, as a mistake would make it. A test should notice each.

What may become of a line is in KINDS. Only lines in the body of a function are looked at that end a statement or a
condition; what is said of a whole one is done if it began on that line, too. Comments, strings, tables and macros are
left alone.

No hand chooses: all candidates are sorted by a digest of what they are, in which the number of the line is not, so
that a change of one line moves no other. Of each function there is one before any has two. The digest also says in
which part a mutant is tried. There is no list of exceptions: none is left out because nothing notices it.

These kinds of lines are left out, whatever is in them:

    files that KUnit does not build (NOT_BUILT)     no test of KUnit could notice
    lockdep_*, might_*, WARN*, BUG*, static_assert  an assert does nothing as long as all else is right
    trace_*                                         a tracepoint does nothing: it says what was done
"""
import collections
import dataclasses
import hashlib
import re

SEED = "kfd-xsched 1"
PARTS = 8
EACH = 10           # of each part; one that does not compile is none
# Tests of the module alone, whose time is that of instructions: those that the guest runs.
GUEST = ("kfdq", "uapi", "hold", "arm", "events", "priority", "watchdog", "permission", "company", "limits", "users",
         "rate", "sysfs", "tap", "waves", "credentials", "demote", "breaker", "reset", "park")

# What knows amdkfd, and what loads it. The third has the tracepoints, and no function of its own.
NOT_BUILT = {"kmod/kfd.c", "kmod/front/module.c", "kmod/front/trace.c"}

# What is no code, and is blanked: comments, the text of strings, macros.
NO_CODE = re.compile(r"""/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|^[ \t]*\#(?:[^\n]*\\\n)*[^\n]*""",
                     re.M | re.S)
FUNCTION = re.compile(r"^(?:static )?(?:[a-z_][\w ]*[ *]+)(\w+)\([^;{]*\)\n\{\n(.*?)^\}", re.M | re.S)

ENDS = re.compile(r"[;{})]$|^(?:case .*|default|\w+):$|^(?:\} )?else$|^do$")
LEFT_OUT = re.compile(r"static const |(?:lockdep_\w+|might_\w+|WARN\w*|(?:BUILD_)?BUG\w*|static_assert|trace_\w+)\(")

CONDITION = re.compile(r"\s*(?:\} )?(?:else )?(?:if|while) \(")
COMPARISON = re.compile(r" (<=|>=|==|!=|<|>) ")
LOGIC = re.compile(r" (&&|\|\|) ")
CALL = re.compile(r"\s*[A-Za-z_][\w.]*(?:->[\w.]+)*\(")
ERROR = re.compile(r"\s*return (-E[A-Z0-9]+);")
ONE = re.compile(r" [-+] 1\b")
STEP = re.compile(r"\s*(?:(?:\+\+|--)[^ ;]+|[^ ;(]+(?:\+\+|--));")
VALUE = re.compile(r"\s*(?:return|[^=;()]* [-+]?=) ([^=].*);")
NUMBER = re.compile(r"\b\d+$| [-+*/] ")
FIELD = re.compile(r"\s*[\w(*][^ =;]*(?:->|\.)\w+(?:\[[^\]]*\])? (?:[-+|&^*/]|<<|>>)?= .*;")
MINMAX = re.compile(r"\b(min|max)(?=(?:_t|3)?\()")

NEIGHBOUR = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "&&": "||", "||": "&&",
             "min": "max", "max": "min"}
NOTHING = "(void)0;"


@dataclasses.dataclass(frozen=True)
class Line:
    """One that ends a statement or a condition."""
    raw: str
    code: str       # the same with blanks for what is no code
    whole: bool     # it began here, too


@dataclasses.dataclass(frozen=True)
class Mutant:
    """A line and what becomes of it."""
    file: str
    line: int
    column: int
    function: str
    kind: str
    raw: str        # the line, as it is
    mutated: str

    @property
    def old(self):
        return self.raw.strip()

    @property
    def new(self):
        return self.mutated.strip()

    @property
    def digest(self):
        return hashlib.sha256(f"{SEED}:{self.file}:{self.function}:{self.old}:{self.kind}".encode()).hexdigest()

    @property
    def part(self):
        return int(self.digest, 16) % PARTS + 1

    def applied(self, source):
        """The source with this mutant in it."""
        lines = source.splitlines(keepends=True)
        assert lines[self.line - 1] == f"{self.raw}\n", f"{self.file}:{self.line} is another line"
        lines[self.line - 1] = f"{self.mutated}\n"
        return "".join(lines)


# --- kinds: where in a line something else stands, and what -----------------------------------


def closing(code, start):
    """Where the parenthesis closes that opens at @start; -1: it does not."""
    depth = 0
    for index in range(start, len(code)):
        depth += (code[index] == "(") - (code[index] == ")")
        if not depth:
            return index
    return -1


def removed(line):
    """All of the statement."""
    return len(line.code) - len(line.code.lstrip()), len(line.code.rstrip()), NOTHING


def swapped(pattern, line):
    """Each that the pattern finds becomes its neighbour."""
    return [(*match.span(1), NEIGHBOUR[match[1]]) for match in pattern.finditer(line.code)]


def conditions(line):
    """if (a) and while (a) ask for the opposite."""
    match = CONDITION.match(line.code)
    if not match or not line.whole:
        return []
    end = closing(line.code, match.end() - 1)
    return [(match.end(), end, f"!({line.raw[match.end():end]})")]


def comparisons(line):
    return swapped(COMPARISON, line)


def logic(line):
    return swapped(LOGIC, line)


def calls(line):
    """A statement that is only a call is not there; guard(mutex)(&lock) looks like one, and counts."""
    match = CALL.match(line.code)
    if not match or not line.whole:
        return []
    end = closing(line.code, match.end() - 1)
    if line.code[end + 1:].startswith("("):
        end = closing(line.code, end + 1)
    return [removed(line)] if line.code[end + 1:].rstrip() == ";" else []


def errors(line):
    """return -EINVAL; says success."""
    match = ERROR.fullmatch(line.code.rstrip())
    return [(*match.span(1), "0")] if match and line.whole else []


def has_number(value):
    """Whether a value is a number, as far as one sees: it ends in one, or is a sum or a product."""
    depth, outside = 0, []
    for letter in value:
        depth -= letter in ")]"
        outside.append("." if depth else letter)
        depth += letter in "(["
    return NUMBER.search("".join(outside))


def ones(line):
    """One more or less: + 1 and - 1 go, and so does count++; a number that is assigned or returned gets + 1."""
    found = [(*match.span(), "") for match in ONE.finditer(line.code)]
    code = line.code.rstrip()
    if line.whole and STEP.fullmatch(code):
        found.append(removed(line))
    value = VALUE.fullmatch(code)
    if line.whole and value and has_number(value[1]):
        found.append((value.end(1), value.end(1), " + 1"))
    return found


def fields(line):
    """A field is not assigned."""
    return [removed(line)] if line.whole and FIELD.fullmatch(line.code.rstrip()) else []


def minmax(line):
    return swapped(MINMAX, line)


KINDS = {
    "condition": conditions,
    "comparison": comparisons,
    "logic": logic,
    "call": calls,
    "error": errors,
    "one": ones,
    "field": fields,
    "minmax": minmax,
}


# --- candidates -------------------------------------------------------------------------------


def blank(match):
    """As long as it was; a string stays one."""
    text = match[0]
    if text[0] in "\"'":
        return text[0] + "_" * (len(text) - 2) + text[0]
    return re.sub(r"[^\n]", " ", text)


def ending(codes):
    """Of these lines, those that end a statement or a condition: the index, and whether it began there."""
    begins, depth, left_out = True, 0, False
    for index, code in enumerate(codes):
        text = code.strip()
        if not text:
            continue
        if begins:
            left_out = bool(LEFT_OUT.match(text))
        depth += text.count("(") - text.count(")")
        ends = not depth and bool(text.endswith(";") if left_out else ENDS.search(text))
        if ends and not left_out:
            yield index, begins
        begins = ends


def lines_of(source):
    """Each line that may become another: the function it is in, its number, and itself."""
    code = NO_CODE.sub(blank, source)
    for function in FUNCTION.finditer(code):
        raws, codes = source[slice(*function.span(2))].split("\n"), function[2].split("\n")
        first = source.count("\n", 0, function.start(2)) + 1
        for index, begins in ending(codes):
            yield function[1], first + index, Line(raws[index], codes[index], begins)


def of_source(name, source):
    """All mutants of a file."""
    for function, number, line in lines_of(source):
        for kind, find in KINDS.items():
            for start, end, text in find(line):
                yield Mutant(name, number, start, function, kind, line.raw, line.raw[:start] + text + line.raw[end:])


def candidates(top):
    """All mutants of the module in the tree at @top."""
    for path in sorted((top / "kmod").rglob("*.c")):
        name = path.relative_to(top).as_posix()
        if name not in NOT_BUILT:
            yield from of_source(name, path.read_text(encoding="utf-8"))


# --- the order --------------------------------------------------------------------------------


def in_order(mutants):
    """By digest; but of each function one, before any has two. The same line and kind twice: as they stand there."""
    taken, rounds = collections.Counter(), []
    for mutant in sorted(mutants, key=lambda each: (each.digest, each.line, each.column)):
        function = (mutant.file, mutant.function)
        rounds.append((taken[function], mutant))
        taken[function] += 1
    return [mutant for _, mutant in sorted(rounds, key=lambda each: each[0])]


def numbered(mutants):
    """Those of each part by number: the first ten of each have 1 to 80."""
    places = collections.Counter()
    for mutant in in_order(mutants):
        yield places[mutant.part] * PARTS + mutant.part, mutant
        places[mutant.part] += 1


def of_part(mutants, part):
    """What is tried there, one after the other, until enough of them compile: numbers and mutants."""
    return [(number, mutant) for number, mutant in numbered(mutants) if mutant.part == part]


def chosen(mutants):
    """What is tried if all of them compile."""
    return sorted((each for each in numbered(mutants) if each[0] <= PARTS * EACH), key=lambda each: each[0])
