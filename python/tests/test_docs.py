"""Every Python block of the tutorials runs, in the order of its page."""
import pathlib
import re

import pytest

DOCS = pathlib.Path(__file__).resolve().parents[2] / "docs"
PAGES = [p for p in sorted(DOCS.glob("tutorials/*.md")) if "```python" in p.read_text()]


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.stem)
def test_blocks_run(page: pathlib.Path) -> None:
    scope: dict[str, object] = {}
    blocks = re.findall(r"```python\n(.*?)```", page.read_text(), re.S)
    assert blocks
    for block in blocks:
        exec(compile(block, str(page), "exec"), scope)
