"""What leaves this machine, and on whose word.

Texts go to a language model that the user named (`--llm`, `llm=` in Python, `llm` in a
configuration file, or a server of one's own by `--llm-url`). Where only a key is there, the user is
asked once, before anything is sent. Addresses and variables of keys count when they are typed: a
configuration file alone moves no key and no text to a host that is not the service's own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from gistmeter.core.credentials import Withheld, host_of, refuse_filed

if TYPE_CHECKING:
    from gistmeter.core.types import Clip
    from gistmeter.core.wiring import Wiring
    from gistmeter.speech.judge import Judge
    from gistmeter.speech.metrics.normalizer import Normalisation
    from gistmeter.speech.settings import SpeechSettings

VARIABLES = {
    "llm_key_env": "--llm-key-env NAME",
    "recognizer_key_env": "--recognizer-key-env HOST=NAME",
}


def is_named(settings: SpeechSettings) -> bool:
    """Whether the user said which model is to be asked, or where."""
    return bool(settings.llm or settings.llm_url)


def may_ask(judge: Judge, normalisations: Mapping[str, Normalisation], wiring: Wiring) -> bool:
    """Whether texts may be sent to a model that nobody named: asked once; without an answer, no."""
    settings, context = wiring.settings, wiring.context
    if is_named(settings):
        return True
    expected = unheard(wiring.items, settings)
    estimate = judge.total(expected, normalisations, settings.repeats, settings.verify)
    if not estimate.calls and not settings.recognizers:
        return True  # all answers are in the cache: nothing is sent
    pairs = sum(clip.got is not None for clip in expected)
    sent = f"{2 * pairs} texts ({pairs} clips)"
    money = "of unknown price" if estimate.cost is None else f"about ${estimate.cost:.4f}"
    question = f"Send {sent} to {judge.name}, {estimate.calls} calls, {money}?"
    if context.confirm is not None and context.confirm(question):
        return True
    context.leave_out(
        f"The semantic error rate (ser) is left out: {sent} were not sent to {judge.name}, for"
        ' nobody asked for it. Add --llm gemini to send them (in Python llm="gemini")'
    )
    return False


def unheard(clips: Sequence[Clip], settings: SpeechSettings) -> list[Clip]:
    """Clips as they will be once recognisers have heard them: about as long as what was said."""
    if not settings.recognizers:
        return list(clips)
    return [
        replace(clip, got=clip.expected, recognizer=name)
        for name in settings.recognizers
        for clip in clips
    ]


def check_origins(settings: SpeechSettings) -> None:
    """Refuse what a configuration file may not decide; a `Withheld` says what to type."""
    filed = settings.from_file
    for name, flag in VARIABLES.items():
        if name in filed and getattr(settings, name):
            raise Withheld(
                f"{name} is in the configuration file. Which key is sent, and where, is for you to"
                f" say: type {flag}, or set GISTMETER_SPEECH_{name.upper()} in the environment"
            )
    if "llm_url" in filed and settings.llm_url and isinstance(settings.llm, str):
        _refuse_server(settings)
    if "recognizers" in filed:
        _refuse_recognizers(settings)


def _refuse_server(settings: SpeechSettings) -> None:
    from gistmeter.models.llm.service import full_name, service_of, without_user
    from gistmeter.speech.judge import DEFAULT_MODEL

    service = service_of(full_name(settings.llm or DEFAULT_MODEL, settings.llm_url))
    shown = without_user(settings.llm_url).partition("?")[0]
    advice = f"type --llm-url {shown}, and --llm-key-env NAME where it asks for a key"
    keyed = bool(settings.llm_key_env)
    refuse_filed(service, settings.llm_url, "llm_url", advice, keyed=keyed)


def _refuse_recognizers(settings: SpeechSettings) -> None:
    from gistmeter.speech.recognizers.resolution import addresses

    named = {host.lower() for host in settings.recognizer_key_env}
    for service, url in addresses(settings.recognizers):
        if (host := host_of(url)) not in named:
            advice = (
                f"type --recognizer-key-env {host}=NAME, where NAME is the environment variable of"
                " its key, or the recogniser itself with --recognizers"
            )
            refuse_filed(service, url, "recognizers", advice)
