"""What the site has beyond the pages in `docs`: the READMEs, the changelog and the notebooks."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

sys.path.insert(0, str(Path(__file__).parent))

from notebooks import execute, notebooks, to_markdown

ROOT = Path(__file__).resolve().parent.parent
PAGES = {
    "README.md": "index.md",
    "README.zh-CN.md": "zh.md",
    "README.ja.md": "ja.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "CITATION.cff": "CITATION.cff",
}
SHIM = "https://unpkg.com/iframe-worker/shim"  # what the theme would fetch to search from disk
LINK = re.compile(r"\]\(([^)#\s:]+)(#[^)\s]*)?\)")


def on_files(files: Files, config: Any) -> Files:
    """Add pages that are made here."""
    for source, name in PAGES.items():
        text = (ROOT / source).read_text(encoding="utf-8")
        if name.endswith(".md"):
            text = LINK.sub(_from_root, text)
        files.append(File.generated(config, name, content=text))
    for path in notebooks():
        name = f"notebooks/{path.stem}.md"
        files.append(File.generated(config, name, content=to_markdown(execute(path))))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Links to notebooks, and to files beside `docs`, lead to their pages."""
    up = "../" * page.file.src_uri.count("/")

    def led(found: re.Match[str]) -> str:
        target, anchor = found[1], found[2] or ""
        name = target.removeprefix(up + "../")
        if target.startswith(up + "../") and name in PAGES:
            target = up + PAGES[name]
        return f"]({re.sub(r'[.]ipynb$', '.md', target)}{anchor})"

    return LINK.sub(led, markdown)


def on_post_page(output: str, page: Any, **_: Any) -> str:
    """Nothing is fetched from elsewhere: the theme's one script from outside lies beside us."""
    return output.replace(SHIM, "../" * page.file.src_uri.count("/") + "assets/iframe-worker.js")


def on_post_template(output_content: str, **_: Any) -> str:
    """The same for the page of a wrong address, which may be asked for anywhere."""
    return output_content.replace(SHIM, "/assets/iframe-worker.js")


def _from_root(found: re.Match[str]) -> str:
    target, anchor = found[1], found[2] or ""
    target = PAGES.get(target, target.removeprefix("docs/") or "index.md")
    return f"]({target}{anchor})"
