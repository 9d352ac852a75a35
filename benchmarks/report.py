"""Results as a Markdown table on the screen, and as JSON beside the benchmarks, with the code that made them."""

import json
import time

from provenance import RESULTS, made_by

_BEGAN = time.perf_counter()


def write_report(name, rows, how, *, seeds, also=()):
    """Print rows, and keep them as `results/<name>.json` together with what made them.

    Args:
      seeds: in words, such as "0 to 9"; "none" where there is no chance.
      also: parts of the code that other processes ran for this one, and folders of data.
    """
    made = made_by(seeds=seeds, took_s=time.perf_counter() - _BEGAN, also=also)
    print(f"\n{how}; {made['machine']['cpu']}, {made['machine']['cores']} cores, Python {made['versions']['python']}\n")
    print(markdown_table(list(rows[0]), [list(row.values()) for row in rows]))
    keep(name, rows, how, made)


def markdown_table(columns, rows):
    """Return a table; None is an empty cell."""
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n".join("| " + " | ".join("" if cell is None else str(cell) for cell in line) + " |" for line in lines)


def keep(name, rows, how, made):
    """Write `results/<name>.json`."""
    RESULTS.mkdir(exist_ok=True)
    head = json.dumps({"benchmark": name, "how": how, "made": made}, indent=2).removesuffix("\n}")
    lines = ",\n".join("    " + json.dumps(row) for row in rows)  # a row is a line, so that a change is, too
    (RESULTS / f"{name}.json").write_text(f'{head},\n  "rows": [\n{lines}\n  ]\n}}\n', encoding="utf-8")


def read(name):
    """Return what `results/<name>.json` holds."""
    return json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8"))
