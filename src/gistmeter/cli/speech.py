"""`gistmeter speech`: transcripts against what was said, and recognisers against each other."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gistmeter.cli.options import parse_columns
from gistmeter.cli.shared import Session, scoring_command

ALL = "wer,cer,sem_dist,ser"
TEXTS, RATES, JUDGE, SOUND, MODELS = (
    "Texts", "Error rates", "Semantic error rate", "Recognisers", "Models",
)  # fmt: skip


@scoring_command("speech")
def speech(
    session: Session,
    *,
    table: Annotated[
        Path | None,
        typer.Argument(
            metavar="TABLE",
            help="A table with the columns file, expected and one a system, or file, system,"
            " expected, got.",
        ),
    ] = None,
    expected: Annotated[
        Path | None,
        typer.Option(
            rich_help_panel=TEXTS,
            help="A file with what was said: lines id<TAB>text, or one text.",
        ),
    ] = None,
    got: Annotated[
        list[Path] | None,
        typer.Option(
            rich_help_panel=TEXTS,
            help="A file with a system's transcripts, of the same form. May be repeated.",
        ),
    ] = None,
    column: Annotated[
        list[str] | None,
        typer.Option(
            rich_help_panel=TEXTS,
            metavar="NAME=HEADER",
            help="Which column of the table is meant, such as expected=Reference. May be repeated.",
        ),
    ] = None,
    language: Annotated[
        str,
        typer.Option(
            rich_help_panel=TEXTS,
            help="Language of the texts (en, cs, zh, ja, ko, th …); auto finds it.",
        ),
    ] = "auto",
    metrics: Annotated[
        str,
        typer.Option(
            rich_help_panel=TEXTS,
            help=f"Scores to compute, separated by commas: {ALL}. By default all that can be.",
        ),
    ] = "",
    normalizer: Annotated[
        str,
        typer.Option(
            rich_help_panel=RATES,
            help="What does not count as an error: seed (case, punctuation, white space), basic"
            " (also annotations and compatibility forms), none.",
        ),
    ] = "seed",
    numbers: Annotated[
        str,
        typer.Option(
            rich_help_panel=RATES, help="Numbers as they are (keep), or all as digits (digits)."
        ),
    ] = "keep",
    alternatives: Annotated[
        Path | None,
        typer.Option(
            rich_help_panel=RATES,
            help="A file of spellings that count as equal, a set a line: colour = color.",
        ),
    ] = None,
    segments: Annotated[
        bool | None,
        typer.Option(
            "--segments/--no-segments",
            rich_help_panel=RATES,
            help="Take intervals over segments of the texts and not over clips. By default only"
            " when one text is all there is.",
        ),
    ] = None,
    diffs: Annotated[
        bool,
        typer.Option(
            "--diffs/--no-diffs",
            rich_help_panel=RATES,
            help="Write an HTML diff of every pair into the run's details.",
        ),
    ] = True,
    custom_metric: Annotated[
        str,
        typer.Option(
            rich_help_panel=RATES,
            metavar="MODULE:FUNCTION",
            help="A metric of your own: an async function of (expected, got) that returns a"
            " CustomMetricResult.",
        ),
    ] = "",
    llm: Annotated[
        str,
        typer.Option(
            rich_help_panel=JUDGE,
            metavar="PROVIDER:MODEL",
            help="The language model that compares facts. By default Gemini, when GEMINI_API_KEY"
            " is set.",
        ),
    ] = "",
    llm_url: Annotated[
        str,
        typer.Option(
            rich_help_panel=JUDGE,
            metavar="URL",
            help="Where the model is served, such as an OpenAI-compatible server of your own.",
        ),
    ] = "",
    repeats: Annotated[
        int,
        typer.Option(
            min=1, max=100, rich_help_panel=JUDGE, help="Ask so many times and take the median."
        ),
    ] = 1,
    verify: Annotated[
        bool,
        typer.Option(
            "--verify",
            rich_help_panel=JUDGE,
            help="Ask a second time with the texts the other way round; disputed facts do not"
            " count.",
        ),
    ] = False,
    estimate: Annotated[
        bool,
        typer.Option(
            "--estimate",
            rich_help_panel=JUDGE,
            help="Print how many calls, tokens, dollars and minutes it would take, and stop.",
        ),
    ] = False,
    max_cost: Annotated[
        float | None,
        typer.Option(
            min=0,
            rich_help_panel=JUDGE,
            metavar="DOLLARS",
            help="Ask before spending more than this, or stop where nobody can be asked.",
        ),
    ] = None,
    assets: Annotated[
        Path | None,
        typer.Option(
            rich_help_panel=SOUND, help="A folder with x.txt beside every x.wav, .flac or .ogg."
        ),
    ] = None,
    recognizers: Annotated[
        list[str] | None,
        typer.Option(
            rich_help_panel=SOUND,
            metavar="NAME,…",
            help="Recognisers to run on the assets: moonshine, pocketsphinx, faster-whisper:FOLDER,"
            " vosk:FOLDER, deepgram, elevenlabs, openai:MODEL@URL, command:PROGRAM, module:Class."
            " May be repeated.",
        ),
    ] = None,
    realtime_factor: Annotated[
        float,
        typer.Option(
            min=0,
            max=10,
            rich_help_panel=SOUND,
            help="Pace of streaming: 1 as spoken, 0 as fast as the recogniser takes it.",
        ),
    ] = 0.0,
    timeout: Annotated[
        float,
        typer.Option(
            min=1,
            rich_help_panel=SOUND,
            help="Seconds after which a try is given up, beside four times the sound's duration.",
        ),
    ] = 30.0,
    tries: Annotated[
        int,
        typer.Option(min=1, max=10, rich_help_panel=SOUND, help="Tries for each clip."),
    ] = 3,
    profile: Annotated[
        str,
        typer.Option(rich_help_panel=MODELS, help="Where models come from: embedded or paper."),
    ] = "embedded",
    token_encoder: Annotated[
        str,
        typer.Option(
            rich_help_panel=MODELS,
            help="Another model for the semantic distance: a hub name or a folder.",
        ),
    ] = "",
    layer: Annotated[
        int | None,
        typer.Option(rich_help_panel=MODELS, help="The layer of its token vectors."),
    ] = None,
    device: Annotated[
        str, typer.Option(rich_help_panel=MODELS, help="Where torch runs: auto, cpu, cuda or mps.")
    ] = "auto",
) -> None:
    """Word, character and semantic error rates of transcripts; recognisers run side by side."""
    from gistmeter.cli import speech_steps as steps
    from gistmeter.cli.speech_recognition import recognise
    from gistmeter.speech.scoring import build_metrics, choose_language, chosen_scores

    explicit = bool(metrics.strip())
    scores = chosen_scores([name.strip() for name in (metrics or ALL).split(",") if name.strip()])
    source = steps.read_source(
        table=table, expected=expected, got=got or [], columns=parse_columns(column or []),
        assets=assets, recognizers=recognizers or [],
    )  # fmt: skip
    found = choose_language(language, source.clips)
    for remark in filter(None, [*source.remarks, found.remark]):
        session.say(remark)
    reading = steps.build_reading(found.code, normalizer, numbers, alternatives)
    function = steps.load_custom(custom_metric)
    judge = steps.load_judge(session, llm, llm_url) if "ser" in scores else None
    if estimate:
        steps.print_estimate(
            session, source, judge, reading=reading, repeats=repeats, verify=verify
        )
        return
    choice = steps.ModelChoice(profile, token_encoder, layer, device)
    matcher = (
        steps.load_matcher(session, choice, found.code, explicit) if "sem_dist" in scores else None
    )
    settings = {
        "metrics": scores, "language": found.code, "normalizer": normalizer, "numbers": numbers,
        "repeats": repeats, "verify": verify, "custom_metric": custom_metric,
        "recognizers": list(source.recognizers), "realtime_factor": realtime_factor,
    }  # fmt: skip
    heard = recognise(
        session, source, pace=realtime_factor, timeout=timeout, tries=tries, language=found.code
    )
    if judge is not None:
        steps.limit_cost(
            session, heard.clips, judge, reading=reading, repeats=repeats, verify=verify,
            limit=max_cost,
        )  # fmt: skip
    single = segments is None and not source.recognizers and not custom_metric
    segmented = steps.is_one_text(heard.clips, reading) if single else bool(segments)
    if segmented:
        session.say("Intervals are over segments of the texts; n counts segments")
    built = build_metrics(
        scores, reading, matcher=matcher, llm=judge.llm if judge else None, repeats=repeats,
        verify=verify, segmented=segmented,
    )  # fmt: skip
    built |= steps.further_metrics(bool(source.recognizers), function)
    steps.score(
        session, heard, built, reading, inputs=[*source.inputs, *filter(None, [alternatives])],
        settings=settings, diffs=diffs, judge=judge,
    )  # fmt: skip
