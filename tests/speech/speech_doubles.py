"""Stand-ins for models: deterministic, and obedient where a test needs them to be."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gistmeter.models.protocols import Answer, Matches, TextPair

SAID = "Anna met Boris. Boris sold houses. Clara left Prague. Dana wrote books."
HEARD = "Anna met Boris. Boris sold horses. Dana wrote books."
FENCE = re.compile(r"=====TEXT-[0-9a-f]{16}=====")


@dataclass
class WordMatcher:
    """F is the share of words in common, squeezed into what real encoders give."""

    id: str = "word-matcher"
    asked: list[TextPair] = field(default_factory=list)
    failing: str = ""  # a text that it fails on

    def match(self, pairs: Sequence[TextPair]) -> Matches:
        self.asked += pairs
        values, failures = [], {}
        for at, (candidate, reference) in enumerate(pairs):
            one, other = set(candidate.split()), set(reference.split())
            shared = 2 * len(one & other) / max(1, len(one) + len(other))
            values.append(0.7 + 0.3 * shared)
            if self.failing and self.failing in candidate:
                values[-1], failures[at] = float("nan"), "out of memory"
        found = np.asarray(values)
        return Matches(found, found, found, np.zeros(len(pairs)), failures)


def texts_of(prompt: str) -> list[str]:
    """What stands between the fences of a prompt, as an honest reader finds it."""
    mark = FENCE.findall(prompt)[0]
    parts = prompt.split(f"\n{mark}\n")
    return parts[1::2]


def outside(prompt: str) -> str:
    """What stands outside of the fences: all that a careful model would obey."""
    mark = FENCE.findall(prompt)[0]
    return "\n".join(prompt.split(f"\n{mark}\n")[0::2])


@dataclass
class Scripted:
    """A language model that answers with what a function of the prompt gives."""

    reply: Callable[[str, int], Any]
    id: str = "scripted"
    prompts: list[str] = field(default_factory=list)
    instructions: list[str] = field(default_factory=list)

    def ask(
        self, prompts: Sequence[str], schema: type[Any], *, instructions: str = "", sample: int = 0
    ) -> list[Answer[Any]]:
        answers = []
        for prompt in prompts:
            self.prompts.append(prompt)
            self.instructions.append(instructions)
            answers.append(validated(self.reply(prompt, sample), schema))
        return answers


def validated(reply: Any, schema: type[Any]) -> Answer[Any]:
    """A reply as a transport hands it on: validated, or a failure with its raw text."""
    if isinstance(reply, Exception):
        return Answer(None, failure=str(reply))
    raw = reply if isinstance(reply, str) else json.dumps(reply, ensure_ascii=False)
    try:
        return Answer(schema.model_validate_json(raw), raw, input_tokens=100, output_tokens=20)
    except ValueError:
        return Answer(None, raw, failure="the answer does not fit the schema")


def fact(subject: str, predicate: str, thing: str, verdict: str) -> dict[str, str]:
    return {"subject": subject, "predicate": predicate, "object": thing, "verdict": verdict}


def sentence_facts(expected: str, got: str) -> dict[str, Any]:
    """An honest judge: every sentence "A b C." is a fact, told where the sentence stands."""
    said, heard = _sentences(expected), _sentences(got)
    facts = [fact(*parts, "both" if parts in heard else "expected") for parts in said]
    facts += [fact(*parts, "got") for parts in heard if parts not in said]
    return {"facts": facts}


def _sentences(text: str) -> list[tuple[str, str, str]]:
    return [tuple(found) for found in re.findall(r"(\w+) (\w+) (\w+)\.", text)]


def honest() -> Scripted:
    return Scripted(lambda prompt, _: sentence_facts(*texts_of(prompt)[:2]))
