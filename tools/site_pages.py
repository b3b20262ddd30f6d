"""Makes the sources of the site: links that leave docs/ become links to files that are copied, C headers and Python stubs
become pages, machines become pages to play with; and mkdocs.yml."""
import json
import pathlib
import re
import shutil
import subprocess
import sys

root, work, program, katex = (pathlib.Path(p) for p in sys.argv[1:5])
docs = work / "docs"
MACHINES = ["stewart", "car", "arm", "satellite"]


def kept(target: str, page: pathlib.Path) -> str:
    """A link from `page`, as it must be in the site."""
    path, _, anchor = target.partition("#")
    anchor = f"#{anchor}" if anchor else ""
    if not path or re.match(r"[a-z]+:", path):
        return target
    original = root / "docs" / page.relative_to(docs)
    if page.name in ("index.md", "changelog.md"):
        original = root / ("README.md" if page.name == "index.md" else "CHANGELOG.md")
    if page.name == "contents.md":
        original = root / "docs" / "README.md"
    found = (original.parent / path).resolve()
    if not found.is_relative_to(root.resolve()):
        return target
    inside = found.relative_to(root.resolve())
    up = "../" * len(page.relative_to(docs).parent.parts)
    if inside == pathlib.Path("README.md"):
        return f"{up}index.md{anchor}"
    if inside == pathlib.Path("CHANGELOG.md"):
        return f"{up}changelog.md{anchor}"
    if inside == pathlib.Path("docs/README.md"):
        return f"{up}contents.md{anchor}"
    if inside.parts[0] == "docs" and found.is_file():
        return f"{up}{inside.relative_to('docs').as_posix()}{anchor}"
    if found.is_file():
        name = inside.as_posix().replace("/", "__") + ("" if inside.suffix else ".txt")
        (docs / "files").mkdir(exist_ok=True)
        name = re.sub(r"\.(md|yaml|c|h|py|ts)$", r".\1.txt", name)
        shutil.copy(found, docs / "files" / name)
        return f"{up}files/{name}"
    return f"{up}contents.md"


def rewrite(page: pathlib.Path) -> None:
    text = page.read_text()
    text = re.sub(r"\]\(([^)\s]+)\)", lambda m: f"]({kept(m[1], page)})", text)
    text = re.sub(r'(src|href)="([^"]+)"', lambda m: f'{m[1]}="{kept(m[2], page)}"', text)
    page.write_text(text)


TYPESET = """
const katex = require(process.argv[1]);
const read = require("fs").readFileSync(0, "utf8");
process.stdout.write(JSON.stringify(JSON.parse(read).map((tex) => katex.renderToString(tex, { displayMode: true, strict: "error" }))));
"""


def lowered(text: str) -> str:
    """q_n and x_{n+1} in running text, outside of code and links, with their indices lowered; a~ with its tilde above."""
    def change(part: str) -> str:
        if part.startswith("`") or part.startswith("]("):
            return part
        part = re.sub(r"_\{([^}]*)\}|(?<=[^\W_])_(\w)\b", lambda m: f"<sub>{m[1] or m[2]}</sub>", part)
        return re.sub(r"([^\W\d_])~", "\\1\u0303", part)

    return "".join(change(p) for p in re.split(r"(```.*?```|`[^`]*`|\]\([^)]*\))", text, flags=re.S))


def typeset() -> None:
    """Equations (```math) of all pages become HTML with MathML inside, here and not in the reader's browser."""
    pages = {p: p.read_text() for p in docs.rglob("*.md")}
    block = re.compile(r"^```math\n(.*?)^```$", re.S | re.M)
    equations = [tex for text in pages.values() for tex in block.findall(text)]
    done = subprocess.run(["node", "-e", TYPESET, str(katex)], input=json.dumps(equations), capture_output=True, text=True, check=True)
    ready = iter(json.loads(done.stdout))
    for page, text in pages.items():
        text = lowered(text) if "theory" in page.parts else text
        page.write_text(block.sub(lambda _: f'<div class="equation">{next(ready)}</div>', text))


def header_page(path: pathlib.Path) -> None:
    """A public header as it stands: its comments are the reference."""
    lines = path.read_text().splitlines()
    first = next((line[3:] for line in lines if line.startswith("// ")), path.name)
    (docs / "api" / f"{path.stem}.md").write_text(f"# {path.name}\n\n{first}\n\n```c\n" + "\n".join(lines) + "\n```\n")


def python_pages() -> None:
    """Docstrings of the package, by module."""
    for path in sorted((root / "python/polhode").glob("*.py")):
        found = re.findall(r'^( *)(class|def) ([A-Za-z]\w*)(.*?):\n +"""(.*?)"""', path.read_text(), re.S | re.M)
        if found:
            body = "\n\n".join(f"### {name}\n\n```text\n{kind} {name}{' '.join(rest.split())}\n```\n\n{' '.join(text.split())}" for _, kind, name, rest, text in found)
            (docs / "api" / f"python_{path.stem.strip('_')}.md").write_text(f"# polhode: {path.stem.strip('_')}\n\n{body}\n")


def robot_pages() -> list[str]:
    """The robots of docs/gallery-robots.md, each run by its command for two seconds at most."""
    out = []
    for title, text, command in re.findall(r"^## (.*?)\n\n(.*?)\n\n`polhode run (.*?)`$", (root / "docs/gallery-robots.md").read_text(), re.S | re.M):
        name = pathlib.Path(command.split()[0]).stem
        result = work / f"robot_{name}.h5"
        subprocess.run([program, "run", *command.split(), "--quiet", "--every", "20", "--out", result], check=True, cwd=root, stderr=subprocess.DEVNULL)
        subprocess.run([program, "view", result, "-o", docs / "play" / f"robot_{name}.html"], check=True, stdout=subprocess.DEVNULL)
        out.append(f"## {title}\n\n{text}\n\n<iframe src=\"../play/robot_{name}.html\" title=\"{title}\" loading=\"lazy\" style=\"width:100%;height:520px;border:1px solid #8884\"></iframe>\n")
    return out


def machine_pages() -> str:
    out = []
    for name in MACHINES:
        model = root / "examples/machines" / f"{name}.yaml"
        result = work / f"{name}.h5"
        subprocess.run([program, "run", model, "--quiet", "--until", "4", "--every", "4", "--out", result], check=True)
        subprocess.run([program, "view", result, "-o", docs / "play" / f"{name}.html"], check=True, stdout=subprocess.DEVNULL)
        text = model.read_text()
        title = re.search(r"^name: (.*)$", text, re.M)
        out.append(f"## {title[1] if title else name}\n\n<iframe src=\"../play/{name}.html\" title=\"{name}\" loading=\"lazy\" style=\"width:100%;height:520px;border:1px solid #8884\"></iframe>\n\n"
                   f"??? note \"The model: {len(text.splitlines())} lines\"\n\n    ```yaml\n" + "\n".join("    " + line for line in text.splitlines()) + "\n    ```\n")
    out += robot_pages()
    return "# Machines\n\nPages as `polhode view` writes them: turn them, play them, plot them.\n\n" + "\n".join(out)


def nav(title: str, pages: list[str]) -> str:
    return f"  - {title}:\n" + "".join(f"      - {p}\n" for p in pages)


(docs / "api").mkdir()
for header in sorted((root / "include/polhode").glob("*.h")):
    if "generated" not in header.name:
        header_page(header)
python_pages()
(docs / "machines.md").write_text(machine_pages())
for markdown in docs.rglob("*.md"):
    if "api" not in markdown.parts and markdown.name != "machines.md":
        rewrite(markdown)

typeset()

rest = sorted(p.name for p in docs.glob("*.md") if p.name not in ("index.md", "contents.md", "changelog.md", "gallery.md", "machines.md", "cookbook.md", "coming-from.md"))
order = ["first-mechanism", "closed-loop", "contact", "robot", "satellite", "python"]
(work / "mkdocs.yml").write_text(f"""site_name: Polhode
docs_dir: docs
use_directory_urls: false
theme:
  name: material
  font: false
  features: [navigation.tabs, navigation.top, search.suggest, search.highlight, content.code.copy]
  palette:
    - media: "(prefers-color-scheme: light)"
      scheme: default
      toggle: {{icon: material/weather-night, name: Dark}}
    - media: "(prefers-color-scheme: dark)"
      scheme: slate
      toggle: {{icon: material/weather-sunny, name: Light}}
extra_css: [assets/katex.min.css, assets/site.css]
plugins: [search]
markdown_extensions: [admonition, pymdownx.details, pymdownx.superfences, tables, toc]
validation: {{links: {{anchors: ignore}}, nav: {{omitted_files: ignore}}}}
nav:
  - Start: index.md
{nav("Tutorials", [f"tutorials/{t}.md" for t in order])}  - Cookbook: cookbook.md
{nav("Gallery", ["machines.md", "gallery.md"])}{nav("Manual", rest)}{nav("Schemes", sorted(f"schemes/{p.name}" for p in (docs / "schemes").glob("*.md")))}{nav("Theory", sorted(f"theory/{p.name}" for p in (docs / "theory").glob("*.md")))}  - Coming from: coming-from.md
{nav("Reference", sorted(f"api/{p.name}" for p in (docs / "api").glob("*.md")))}  - Changes: changelog.md
""")
