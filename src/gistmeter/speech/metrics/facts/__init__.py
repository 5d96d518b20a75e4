"""Semantic Error Rate: which facts of what was said a transcript still tells.

`prompt` asks a language model for facts and their verdicts, `occurrence` checks that each fact
really occurs where the model says, `rate` turns facts into rates.
"""

from gistmeter.speech.metrics.facts.occurrence import check
from gistmeter.speech.metrics.facts.prompt import INSTRUCTIONS, build_prompt, fact_schema
from gistmeter.speech.metrics.facts.rate import SemanticErrorRate
from gistmeter.speech.metrics.facts.verdicts import SemanticFact, Verdict, count_facts

__all__ = [
    "INSTRUCTIONS", "SemanticErrorRate", "SemanticFact", "Verdict", "build_prompt", "check",
    "count_facts", "fact_schema",
]  # fmt: skip
