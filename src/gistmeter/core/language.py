"""Language is a property of an item: given, from a column, a file's name or the texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from gistmeter.core.family import Context, Items


def assign_languages(
    read: Items[Any],
    given: str,
    texts: Sequence[Sequence[str]],
    context: Context,
    names: Sequence[Sequence[str]] = (),
) -> Items[Any]:
    """Items with their languages; what was guessed is said in one wording everywhere.

    `texts` are what tells each item's language, `names` the names of the files it comes from.
    """
    from gistmeter import languages

    column = [item.language for item in read.items]
    chosen = languages.choose(given, column, names, texts)
    if chosen.remark:
        context.say(chosen.remark)
    items = [
        replace(item, language=code) for item, code in zip(read.items, chosen.codes, strict=True)
    ]
    codes = list(dict.fromkeys(chosen.codes))
    found = {**read.found, "language": codes[0] if len(codes) == 1 else sorted(codes)}
    return replace(read, items=items, found=found)
