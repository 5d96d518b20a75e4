"""`gistmeter parse GOLD SYSTEM...`: parses against a treebank; and its tools for treebanks."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
import typer.core

from gistmeter.cli.shared import Session, scoring_command

SCORE = "score"
TOOLS = "validate, build-vocabulary, erase, estimate-weights"
SEMANTICS, WEIGHTS, FILES = "Semantics", "Weights", "Files"

Columns = Annotated[
    str,
    typer.Option(
        rich_help_panel=FILES,
        metavar="NAMES",
        help="The columns of the files in order, such as 'ID FORM LEMMA UPOS', where neither a"
        " '# global.columns' line nor their number tells.",
    ),
]
Output = Annotated[
    Path | None, typer.Option("--output", "-o", help="The file to write; without it, stdout.")
]


class ScoreByDefault(typer.core.TyperGroup):
    """A group that scores unless its first word is one of its tools."""

    def make_context(self, info_name: str | None, args: list[str], *rest: Any, **more: Any) -> Any:
        first = args[0].replace("_", "-") if args else ""
        if first in self.commands:
            return super().make_context(info_name, args, *rest, **more)
        # The command takes the group's place, so that its options, its part of a configuration
        # file and its environment variables are those of `parse`.
        return self.commands[SCORE].make_context(info_name, args, *rest, **more)


app = typer.Typer(
    cls=ScoreByDefault,
    help=f"Score parses in CoNLL-U and its kin. Tools: {TOOLS}.",
    add_completion=False,
)


@app.command(
    SCORE,
    epilog=f"Tools for treebanks: gistmeter parse {TOOLS.replace(', ', ' | ')} --help",
)
@scoring_command("parse")
def parse(
    session: Session,
    *,
    gold: Annotated[
        Path,
        typer.Argument(metavar="GOLD", help="The treebank to score against (.conllu, .gz)."),
    ],
    systems: Annotated[
        list[Path],
        typer.Argument(
            metavar="SYSTEM...", help="What parsers made of it, a file each, named by its stem."
        ),
    ],
    taxonomy: Annotated[
        Path | None,
        typer.Option(
            rich_help_panel=SEMANTICS,
            help="The forest of semantic classes, as CSV: ID, ParentID, Depth, Name, or child,"
            " parent.",
        ),
    ] = None,
    flat_classes: Annotated[
        bool,
        typer.Option(
            "--flat-classes",
            rich_help_panel=SEMANTICS,
            help="Compare semantic classes by equality, without a taxonomy.",
        ),
    ] = False,
    semantic_only: Annotated[
        bool,
        typer.Option(
            "--semantic-only",
            rich_help_panel=SEMANTICS,
            help="Let the total be the mean of uas, semslot and semclass alone.",
        ),
    ] = False,
    lemma_weights: Annotated[
        Path | None,
        typer.Option(
            rich_help_panel=WEIGHTS,
            help="Weights of lemmas by part of speech, as JSON. By default 0.3 for parts of speech"
            " that do not inflect and 0.7 for others.",
        ),
    ] = None,
    feats_weights: Annotated[
        Path | None,
        typer.Option(
            rich_help_panel=WEIGHTS,
            help="Weights of grammatical categories, as JSON. By default those of the SEMarkup"
            " treebank.",
        ),
    ] = None,
    columns: Columns = "",
    conll18: Annotated[
        bool,
        typer.Option(
            "--conll18",
            rich_help_panel=FILES,
            help="Align tokens that differ by their characters, and add the scores of the CoNLL"
            " 2018 shared task: clas, mlas, blex and others.",
        ),
    ] = False,
) -> None:
    """Score parses: lemmas, tags, features, heads, relations, semantic slots and classes.

    The layout of the files is found: CoNLL-U, SEMarkup, CoBaLD, or CoNLL-U Plus by its
    '# global.columns' line. Systems take the gold's layout.
    """
    from gistmeter.parses import ParseOptions, prepare

    options = ParseOptions(
        taxonomy, lemma_weights, feats_weights, columns, semantic_only, conll18, flat_classes
    )
    task = prepare(gold, systems, options, session.cache)
    for remark in task.remarks:
        session.say(remark)
    for warning in task.warnings:
        session.warn(warning)
    session.score(
        task.pairs,
        task.metrics,
        inputs=[gold, *systems, *options.files],
        settings={
            "gold": str(gold),
            "systems": [str(path) for path in systems],
            "taxonomy": str(taxonomy) if taxonomy else None,
            "lemma_weights": str(lemma_weights) if lemma_weights else None,
            "feats_weights": str(feats_weights) if feats_weights else None,
            "columns": list(task.pairs.gold.layout.columns),
            "layout": task.pairs.gold.layout.name,
            "semantic_only": semantic_only,
            "flat_classes": flat_classes,
            "conll18": conll18,
        },
    )


@app.command()
def validate(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The treebank to check.")],
    vocabulary: Annotated[
        Path | None,
        typer.Option(help="Known tags, from build-vocabulary; other tags are reported."),
    ] = None,
    columns: Columns = "",
) -> None:
    """Check a treebank: IDs, heads, one root, no cycles, features, and tags against a vocabulary.

    Lists all problems with their lines; the exit code is 2 if there are any.
    """
    from gistmeter.formats.conllu.layout import declare
    from gistmeter.formats.conllu.validation import find_problems
    from gistmeter.formats.conllu.vocabularies import read_vocabulary

    layout = declare(columns, name="--columns") if columns else None
    known = read_vocabulary(vocabulary) if vocabulary else None
    count = 0
    for problem in find_problems(file, layout, known):
        print(f"{file}:{problem.line}: {problem.message}")
        count += 1
    if count:
        typer.echo(f"{count:,} problem{'s' if count > 1 else ''}", err=True)
        raise typer.Exit(2)
    typer.echo(f"{file}: no problems", err=True)


@app.command()
def build_vocabulary(
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE...", help="Treebanks whose tags are known.")
    ],
    output: Output = None,
    columns: Columns = "",
) -> None:
    """Collect the tags, features, relations, slots and classes of treebanks, for validate."""
    from gistmeter.formats.conllu.layout import declare
    from gistmeter.formats.conllu.vocabularies import build

    layout = declare(columns, name="--columns") if columns else None
    _write(output, _json(build(files, layout)))


@app.command()
def erase(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The treebank to erase.")],
    output: Output = None,
    columns: Columns = "",
) -> None:
    """Make a blind copy of a treebank, for systems to fill: only ID and FORM stay."""
    from gistmeter.formats.conllu.erasing import erase as erase_annotation
    from gistmeter.formats.conllu.layout import declare

    if output is not None and output.resolve() == file.resolve():
        from gistmeter.errors import InputError

        raise InputError(f"{output}: is the treebank itself; choose another file")
    _write(output, erase_annotation(file, declare(columns) if columns else None))


@app.command()
def estimate_weights(
    treebanks: Annotated[
        list[Path], typer.Argument(metavar="TREEBANK...", help="Treebanks to estimate from.")
    ],
    output: Output = None,
    columns: Columns = "",
) -> None:
    """Estimate weights: lemmas 0.3 or 0.7 by part of speech, features by their number of values.

    The file serves both --lemma-weights and --feats-weights.
    """
    from gistmeter.parses import estimate_weights as estimate

    weights = estimate(treebanks, columns)
    _write(output, _json({"lemma": dict(weights.lemma), "feats": dict(weights.feats)}))


def _json(document: object) -> str:
    import json

    return json.dumps(document, ensure_ascii=False, indent=1) + "\n"


def _write(path: Path | None, content: str) -> None:
    import gzip
    import sys

    from gistmeter.files import write_atomically

    if path is None:
        sys.stdout.write(content)
        return
    packed = gzip.compress(content.encode("utf-8")) if path.suffix == ".gz" else content
    write_atomically(path, packed)
    typer.echo(f"Wrote {path}", err=True)
