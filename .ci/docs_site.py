"""Takes what lies outside of `docs`, and is linked from there, into the site: MkDocs knows one folder only.

Every page of the repository that is linked becomes a page under `repository/`, and links are set accordingly. Folders
in the navigation stand for their pages.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
LINK = re.compile(r"(\]\()([^)#\s]+)([^)]*\))")
CODE = re.compile(r"^```.*?^```$|`[^`\n]*`", re.MULTILINE | re.DOTALL)


def on_config(config: Any) -> Any:
    config["nav"] = _with_folders(config["nav"])
    return config


def on_files(files: Files, config: Any) -> Files:
    waiting = [Path(file.abs_src_path) for file in files.documentation_pages() if file.abs_src_path]
    waiting.append(ROOT / "README.md")
    seen: set[Path] = set()
    while waiting:
        page = waiting.pop()
        if page in seen or not page.is_file():
            continue
        seen.add(page)
        if not page.is_relative_to(DOCS):
            files.append(File.generated(config, _place(page), abs_src_path=str(page)))
        if page.suffix == ".md":
            waiting += [target for target in _targets(page) if target.is_file()]
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Files) -> str:
    source = Path(page.file.abs_src_path)
    here = Path(page.file.src_uri).parent

    def set_link(match: re.Match[str]) -> str:
        before, link, after = match.groups()
        if "://" in link or link.startswith("mailto:"):
            return match.group(0)
        target = _file(source.parent / link)
        return f"{before}{os.path.relpath(_place(target), here)}{after}"

    parts, end = [], 0
    for code in CODE.finditer(markdown):  # what looks like a link within code is none
        parts += [LINK.sub(set_link, markdown[end : code.start()]), code.group(0)]
        end = code.end()
    return "".join([*parts, LINK.sub(set_link, markdown[end:])])


def _place(file: Path) -> str:
    """Return where a file of the repository stands in the site."""
    if file.is_relative_to(DOCS):
        return file.relative_to(DOCS).as_posix()
    return f"repository/{file.relative_to(ROOT).as_posix()}"


def _targets(page: Path) -> list[Path]:
    prose = CODE.sub("", page.read_text(encoding="utf-8"))
    links = [match.group(2) for match in LINK.finditer(prose) if "://" not in match.group(2)]
    return [_file(page.parent / link) for link in links]


def _file(path: Path) -> Path:
    """Return what is meant by a path: of a folder its README."""
    path = path.resolve()
    return path / "README.md" if path.is_dir() else path


def _with_folders(entries: Any) -> Any:
    """Put the pages of a folder in the place of its name: its README first, the others in their order."""
    if isinstance(entries, list):
        return [_with_folders(entry) for entry in entries]
    if isinstance(entries, dict):
        return {title: _with_folders(entry) for title, entry in entries.items()}
    folder = DOCS / entries
    if not folder.is_dir():
        return entries
    pages = sorted(path.name for path in folder.glob("*.md") if path.name != "README.md")
    return [f"{entries}/{name}" for name in ("README.md", *pages)]
