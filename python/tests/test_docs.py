"""Every Python block of the documentation runs, in the order of its page.

A page may hold comments, `<!-- before: ... -->`, with lines that make what a block takes for granted. A block behind `<!-- not run -->`
needs what is not here.
"""
import os
import pathlib
import re
import shutil

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = [p for p in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))) if "```python" in p.read_text()]
PIECE = re.compile(r"<!-- before:\n(.*?)-->|(<!-- not run.*?-->\n+)?```python\n(.*?)```", re.S)


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.stem)
def test_blocks_run(page: pathlib.Path, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(ROOT / "examples", tmp_path / "examples", ignore=shutil.ignore_patterns("robot_files"))
    monkeypatch.chdir(tmp_path)
    scope: dict[str, object] = {"__name__": "docs"}
    blocks = 0
    for before, skipped, block in PIECE.findall(page.read_text()):
        blocks += bool(block)
        if skipped:
            continue
        try:
            exec(compile(before or block, str(page), "exec"), scope)
        except ModuleNotFoundError as missing:
            if (missing.name or "").startswith("polhode"):
                raise
            pytest.skip(f"{page.name} needs {missing.name}")
    assert blocks and os.listdir(tmp_path)
