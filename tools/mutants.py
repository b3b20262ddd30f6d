"""What tools/mutate changes, and where.

The rule: code whose change alters what the engine answers. So these are left out, by file or by what stands in the line, before
anything is tried and whatever the outcome:

- files that decide how fast an answer is found and not which one: orders of elimination, search structures in front of the exact
  test, first guesses of iterations, choices among methods that are each tested alone, what divides work among threads;
- files of names, messages, digests and reading files; the tables that list methods;
- lines that ask for memory, pass on failures, build texts or give things back.

And of the usual operators one is left out: `<` in place of `<=`. Between real numbers the two differ where both sides are the same
to the last bit, which is as good as never.
"""
import re
from dataclasses import dataclass

FOLDERS = ["math", "clifford", "linalg", "joints", "forces", "dynamics", "compile", "model", "collide", "cone", "contact", "schemes",
           "tree", "articulated", "analysis", "exact", "expression", "adjoint", "sensors", "shapes", "heap"]
LEFT_OUT = {
    # speed: order of elimination, search structures, first guesses, choice of method, division of work
    "linalg/ordering.c", "cone/order.c", "collide/broad.c", "collide/grid.c", "collide/tree.c", "collide/detector_cull.c",
    "schemes/predictor.c", "schemes/trend.c", "schemes/moreau_choice.c", "schemes/device.c", "heap/sort.c", "heap/cut.c",
    "heap/domains.c", "heap/batch.c", "heap/load.c", "cone/workspace.c",
    # vectors wider than every machine has; the same text is tried in kernels_*_base.c
    "heap/kernels_double_avx2.c", "heap/kernels_double_avx512.c", "heap/kernels_single_avx2.c", "heap/kernels_single_avx512.c",
    # names, messages, digests, files
    "compile/report.c", "model/fingerprint.c", "model/names.c", "model/shape_file.c", "cone/fc_read.c", "cone/fc_write.c",
    "adjoint/names.c", "joints/info.c", "schemes/registry.c", "joints/registry.c", "forces/registry.c", "sensors/registry.c",
    "shapes/registry.c",
}
LINE_LEFT_OUT = re.compile(r'"|\b(error_set|sizeof|NULL|PH_OUT_OF_MEMORY|assert|threads?|room|capacity)\b|status|alloc|free\(|'
                           r"destroy|release|reserve|problem")
FACTOR = r"-?[\w.]+(?:->[\w.]+)*(?:\[[^\[\]]*\])*(?:\([^()]*\))?"
PRODUCT = rf"{FACTOR}(?: [*/] {FACTOR})*"
# name: [(what, by what)]; each applies to code outside comments, texts and preprocessor lines.
RULES = {
    "flip a sign": [(r"(?<=[\w\])] )\+(?= [\w(-])", "-"), (r"(?<=[\w\])] )-(?= [\w(-])", "+"), (r"(?<= )\+=(?= )", "-="),
                    (r"(?<= )-=(?= )", "+="), (r"(?<=[(,=] )-(?=[a-z(])", ""), (r"(?<=\()-(?=[a-z(])", ""),
                    (r"(?<=return )-(?=\w)", ""), (r"\bph_add\(", "ph_sub("), (r"\bph_sub\(", "ph_add(")],
    "drop a term": [(rf"(?<=[\w\])]) [+-] {PRODUCT}(?=[;),])", ""), (rf"(?<=[\w\])]) \* {FACTOR}(?=[;),]| [+-] )", "")],
    "divide": [(r"(?<=[\w\])] )\*(?= [\w(])", "/"), (r"(?<=[\w\])] )/(?= [\w(])", "*")],
    "another number": [(r"\b0\.5\b", "0.25"), (r"\b2\.0\b", "2.5"), (r"\b1\.0\b", "1.25"), (r"\b3\.0\b", "3.5")],
    "transpose": [(r"\bph_mul\(", "ph_tmul("), (r"\bph_tmul\(", "ph_mul(")],
    "negate": [(r"(?<=[\w\])] )<(?= [\w(-])", ">="), (r"(?<=[\w\])] )>(?= [\w(-])", "<="), (r"(?<= )==(?= )", "!="),
               (r"(?<= )!=(?= )", "=="), (r"(?<= )&&(?= )", "||"), (r"(?<= )\|\|(?= )", "&&")],
    "drop a statement": [(r"^ +\K(?:[\w.\[\]>-]+ [+*/-]?= [^;]*|[a-z]\w+\([^;]*\));$", ";")],
}


@dataclass(frozen=True)
class Mutant:
    file: str
    line: int  # from 0
    start: int
    end: int
    other: str
    rule: str
    span: int  # lines of the statement before this one

    def key(self):
        return f"{self.file}:{self.line}:{self.start}:{self.end}:{self.other}"

    def before(self, root):
        return (root / self.file).read_text(encoding="utf-8")

    def after(self, root):
        lines = self.before(root).splitlines(keepends=True)
        old = lines[self.line]
        lines[self.line] = old[: self.start] + self.other + old[self.end:]
        return "".join(lines)

    def describe(self, root):
        pick = lambda text: text.splitlines()[self.line].strip()
        return {"key": self.key(), "file": self.file, "folder": self.file.split("/")[1], "line": self.line + 1, "rule": self.rule,
                "before": pick(self.before(root)), "after": pick(self.after(root))}


def code_lines(path):
    """(number, code, lines of the statement before it) inside functions: no comments, no preprocessor."""
    inside, span = False, 0
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines()):
        code = line.split("//")[0].rstrip()
        if line.startswith("{"):
            inside, span = True, 0
        elif line.startswith("}"):
            inside = False
        elif inside and code and not code.lstrip().startswith("#"):
            yield number, code, span
            span = 0 if code.endswith((";", "{", "}", ":")) else span + 1


def matches(pattern, code):
    head, keep, rest = pattern.partition(r"\K")  # as in other languages: what stands before \K is looked at and kept
    for match in re.finditer(f"(?P<kept>{head}){rest}" if keep else pattern, code):
        yield match.end("kept") if keep else match.start(), match.end()


def find(root, folders):
    found = []
    for path in sorted(path for folder in folders for path in (root / "src" / folder).glob("*.c")):
        if str(path.relative_to(root / "src")) in LEFT_OUT:
            continue
        for number, code, span in code_lines(path):
            if LINE_LEFT_OUT.search(code):
                continue
            for rule, changes in RULES.items():
                for pattern, other in changes:
                    for start, end in matches(pattern, code):
                        found.append(Mutant(str(path.relative_to(root)), number, start, end, other, rule, span))
    return found
