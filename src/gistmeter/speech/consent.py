"""Which language model is asked about facts, what leaves this machine, and on whose word.

Texts go to a language model that the user named (`--llm`, `llm=` in Python, `llm` in a
configuration file, or a server of one's own by `--llm-url`). Where only a key is there, the user is
asked once, before anything is sent. Addresses and variables of keys count when they are typed: a
configuration file alone moves no key and no text to a host that is not the service's own.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from gistmeter.core.errors import InputError, MissingDependency
from gistmeter.models.credentials import NoKey, Withheld, host_of, refuse_filed
from gistmeter.models.env_file import environment_with, model_keys
from gistmeter.speech.settings import NO_MODEL

if TYPE_CHECKING:
    from gistmeter.core.cache import Cache
    from gistmeter.core.family import Context
    from gistmeter.core.types import Clip
    from gistmeter.core.wiring import Wiring
    from gistmeter.speech.costs import FactModel
    from gistmeter.speech.metrics.normalizer import Normalisation
    from gistmeter.speech.settings import SpeechSettings

DEFAULT_MODEL = "gemini-3-pro-preview"  # `--llm gemini`
KEY = "GEMINI_API_KEY"
TEMPERATURE = 0.2
VARIABLES = {
    "llm_key_env": "--llm-key-env NAME",
    "recognizer_key_env": "--recognizer-key-env HOST=NAME",
}


def find_fact_model(
    name: str,
    cache: Cache,
    *,
    api_key: str | None = None,
    base_url: str = "",
    key_env: str = "",
    batch: bool = False,
    progress: Callable[[str, int, int], None] | None = None,
    environment: Mapping[str, str] = os.environ,
) -> FactModel:
    """The named model, or Gemini when its key is in the environment; `NoKey` without a key.

    Nothing is asked yet: whether that may be is for `may_ask` to say. A missing package is a
    `MissingDependency`; a name that cannot be understood an `InputError`.
    """
    from gistmeter.models.llm import LanguageModelSettings, load_language_model, service
    from gistmeter.speech.costs import FactModel

    if not (name or base_url or api_key or environment.get(KEY)):
        raise NoKey(
            f"It asks a language model: set {KEY} in the environment or in a file .env here and "
            "add --llm gemini, or name another model with --llm provider:model"
        )
    full = service.full_name(DEFAULT_MODEL if name in {"", "gemini"} else name, base_url)
    settings = LanguageModelSettings(
        temperature=TEMPERATURE, base_url=base_url, key_env=key_env, batch=batch
    )
    key = service.find_key(full, settings, api_key, environment)
    model = load_language_model(
        full, cache=cache, settings=settings, api_key=key, progress=progress
    )
    service.make_model(full, base_url, key)  # a provider's package may still be missing
    return FactModel(model)


def fact_model_of(
    settings: SpeechSettings, context: Context, *, api_key: str | None = None
) -> FactModel | None:
    """The language model, or None after one warning that says how to get it."""
    from gistmeter.speech.costs import FactModel

    if not isinstance(settings.llm, str):
        return FactModel(settings.llm, settings.occurrence)
    if settings.llm == NO_MODEL:
        context.warn(
            f"The semantic error rate (ser) is left out: llm is '{NO_MODEL}', as it is where a "
            "configuration that is not trusted says what is scored. Name one with --llm, or trust "
            "the configuration: gistmeter trust FOLDER"
        )
        return None
    names = [*model_keys(), *([settings.llm_key_env] if settings.llm_key_env else ())]
    try:
        model = find_fact_model(
            settings.llm, context.cache, base_url=settings.llm_url, key_env=settings.llm_key_env,
            batch=settings.batch, progress=context.progress, api_key=api_key,
            environment=environment_with(names, context.say),
        )  # fmt: skip
        return replace(model, occurrence=settings.occurrence)
    except (NoKey, MissingDependency) as error:
        context.leave_out(f"The semantic error rate (ser) is left out. {error}")
        return None


def may_ask(model: FactModel, normalisations: Mapping[str, Normalisation], wiring: Wiring) -> bool:
    """Whether texts may be sent to a model that nobody named: asked once; without an answer, no."""
    settings, context = wiring.settings, wiring.context
    if settings.llm or settings.llm_url:
        return True
    expected = unheard(wiring.items, settings)
    estimate = model.total(expected, normalisations, settings.repeats, settings.verify)
    if not estimate.calls and not settings.recognizers:
        return True  # all answers are in the cache: nothing is sent
    pairs = sum(clip.got is not None for clip in expected)
    sent = f"{2 * pairs} texts ({pairs} clips)"
    money = "of unknown price" if estimate.cost is None else f"about ${estimate.cost:.4f}"
    question = f"Send {sent} to {model.name}, {estimate.calls} calls, {money}?"
    if context.confirm is not None and context.confirm(question):
        return True
    context.leave_out(
        f"The semantic error rate (ser) is left out: {sent} were not sent to {model.name}, because"
        ' no model was named. Add --llm gemini to send them (in Python llm="gemini")'
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


def limit_cost(
    model: FactModel,
    clips: Sequence[Clip],
    normalisations: Mapping[str, Normalisation],
    settings: SpeechSettings,
    context: Context,
) -> None:
    """Stop or ask before more is spent than the user allows."""
    from gistmeter.models.llm import Budget

    limit = settings.max_cost
    if limit is None:
        return
    estimate = model.total(clips, normalisations, settings.repeats, settings.verify)
    if estimate.cost is None and estimate.calls:
        context.warn(f"The price of {model.name} is unknown, so --max-cost cannot be kept")
        return
    if not estimate.calls:
        return
    if (estimate.cost or 0.0) <= limit:
        # The estimate may be too low: the run stops before the limit all the same.
        asker = getattr(model.llm, "asker", None)
        if asker is not None and hasattr(asker, "budget"):
            asker.budget = Budget(limit, (estimate.cost or 0.0) / estimate.calls)
        return
    context.say(str(estimate))
    question = f"That is over --max-cost {limit:g}. Go on?"
    if context.confirm is None or not context.confirm(question):
        raise InputError(
            f"About ${estimate.cost:.2f} would be spent, over --max-cost {limit:g}; nothing was run"
        )


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
