"""Profiles, names and what is said where a model is not there."""

from __future__ import annotations

from pathlib import Path

import pytest

from gistmeter.core.cache import Cache
from gistmeter.core.errors import InputError, MissingModel, UnknownName
from gistmeter.models import hub, model_files
from gistmeter.models.loading import load_models, models_folder, require
from gistmeter.models.settings import BackEndSettings, matching_layer, profile_names


@pytest.mark.parametrize(
    ("language", "embedder", "matcher"),
    [
        ("zh", "BAAI/bge-small-zh-v1.5", "bert-base-chinese"),
        ("zh-Hant", "BAAI/bge-small-zh-v1.5", "bert-base-chinese"),
        ("ja", "sentence-transformers/paraphrase-multilingual-MiniLM-L12-v2", None),
        ("ko", "sentence-transformers/paraphrase-multilingual-MiniLM-L12-v2", None),
        ("en", "sentence-transformers/paraphrase-multilingual-MiniLM-L12-v2", "roberta-large"),
    ],
)
def test_the_papers_models(language: str, embedder: str, matcher: str | None) -> None:
    names = profile_names("paper", language)
    assert names["embedder"] == embedder
    assert names["matcher"] == (matcher or "bert-base-multilingual-cased")
    assert names["cross_encoder"] == "BAAI/bge-reranker-base"
    assert names["nli"] == "MoritzLaurer/mDeBERTa-v3-base-mnli-xnli"


def test_the_layers_that_bertscore_takes() -> None:
    assert matching_layer("bert-base-chinese") == 8
    assert matching_layer("bert-base-multilingual-cased") == 9
    assert matching_layer("somebody/else") is None


@pytest.mark.torch
def test_they_are_the_layers_of_bert_score_itself() -> None:
    bert_score = pytest.importorskip("bert_score.utils")
    from gistmeter.models.settings import BERTSCORE_LAYERS

    for name, layer in BERTSCORE_LAYERS.items():
        assert bert_score.model2layers[name] == layer


def test_a_profile_of_ones_own() -> None:
    more = {"mine": {"embedder": "a", "token-encoder": "b", "zh": {"embedder": "c"}}}
    assert profile_names("mine", "zh", more) == {"embedder": "c", "matcher": "b"}
    with pytest.raises(UnknownName, match="Did you mean 'embedder'"):
        profile_names("mine", "", {"mine": {"embeder": "a"}})
    with pytest.raises(UnknownName, match="Available: embedded, embedded-plain, orderprobe"):
        profile_names("papers")


def test_absent_roles_say_how_to_get_them() -> None:
    roles = ["embedder", "cross_encoder", "nli"]
    models = load_models(roles, profile="embedded-plain", cache=Cache(None))
    assert models.embedder is not None
    assert models.cross_encoder is None and models.nli is None
    assert set(models.absent) == {"cross_encoder", "nli"}
    assert "gistmeter models pull paper" in models.absent["nli"]
    with pytest.raises(InputError, match="--nli NAME"):
        require(models, "nli")
    assert require(models, "embedder") is models.embedder


def test_unknown_roles_and_settings_are_refused() -> None:
    with pytest.raises(UnknownName, match="embedder"):
        load_models(["embeder"], cache=Cache(None))
    with pytest.raises(UnknownName, match="device"):
        BackEndSettings(device="tpu")
    with pytest.raises(UnknownName, match="batch_size"):
        BackEndSettings.of({"batchsize": 3})
    with pytest.raises(InputError, match="negative"):
        BackEndSettings(batch_size=-1)


def test_converted_models_stand_beside_the_cache(tmp_path: Path) -> None:
    assert models_folder(Cache(tmp_path / "answers.sqlite")) == tmp_path / "models"


def test_ids_change_with_what_could_change_an_answer() -> None:
    def ids(**values: int) -> tuple[str, str]:
        loaded = load_models(
            ["embedder", "matcher"], cache=Cache(None), settings=BackEndSettings(**values)
        )
        assert loaded.embedder is not None and loaded.matcher is not None
        return loaded.embedder.id, loaded.matcher.id

    plain = ids()
    assert ids(batch_size=64, threads=1) == plain
    assert ids(max_length=64)[0] != plain[0]
    assert ids(layer=10)[0] == plain[0]
    assert ids(layer=10)[1] != plain[1]


def test_a_model_that_is_nowhere_is_one_clear_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = BackEndSettings(offline=True)
    with pytest.raises(MissingModel) as caught:
        hub.locate("nli", "somebody/model", settings)
    message = str(caught.value)
    for part in ("nli", "somebody/model", "offline", "gistmeter models pull somebody/model"):
        assert part in message
    with pytest.raises(MissingModel, match="nowhere"):
        hub.locate("embedder", str(tmp_path / "nowhere"), settings)


def test_a_folder_is_known_by_its_content(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")
    first = hub.fingerprint(tmp_path)
    (tmp_path / "readme.md").write_text("not part of it")
    assert hub.fingerprint(tmp_path) == first
    (tmp_path / "config.json").write_text('{"a": 1}')
    assert hub.fingerprint(tmp_path) != first


def test_pickles_are_not_fetched_unless_asked_for() -> None:
    both = ["model.safetensors", "pytorch_model.bin"]
    assert "*.safetensors" in hub.wanted_files(both)
    for files, asked in ((both, False), (both, True), (["pytorch_model.bin"], False)):
        assert not any("bin" in one for one in hub.wanted_files(files, pickles=asked))
    assert "pytorch_model*.bin" in hub.wanted_files(["pytorch_model.bin"], pickles=True)
    assert not any(one.endswith(".py") for one in hub.wanted_files(["modeling.py"]))


def test_label_order_is_read_from_the_config() -> None:
    config = {"id2label": {"0": "CONTRADICTION", "1": "neutral", "2": "Entailment"}}
    assert model_files.label_order(config, "m") == [2, 1, 0]
    for labels in ({"0": "LABEL_0", "1": "LABEL_1", "2": "LABEL_2"}, {}, {"0": "entailment"}):
        with pytest.raises(InputError, match="not a model of entailment"):
            model_files.label_order({"id2label": labels}, "m")


def test_a_logit_is_squashed_once() -> None:
    import numpy as np

    logits = np.asarray([[0.0], [2.0], [-800.0]], dtype=np.float32)
    values = model_files.activate(logits, model_files.read_activation({}, ""))
    assert values[:, 0] == pytest.approx([0.5, 1 / (1 + np.exp(-2.0)), 0.0])
    own = {"sentence_transformers": {"activation_fn": "torch.nn.modules.linear.Identity"}}
    assert model_files.read_activation(own, "") == "identity"
    kept = model_files.activate(np.asarray([[0.25], [7.0]]), "identity")
    assert kept[0, 0] == 0.25
    assert np.isnan(kept[1, 0])
    with pytest.raises(InputError, match="not supported"):
        model_files.read_activation({"sbert_ce_default_activation_function": "os.system"}, "")


def test_pooling_is_read_as_data(tmp_path: Path) -> None:
    import json

    assert model_files.read_pooling(tmp_path, "").mode == "mean"
    modules = [
        {"idx": 0, "path": "", "type": "sentence_transformers.models.Transformer"},
        {"idx": 1, "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
    ]
    (tmp_path / "modules.json").write_text(json.dumps(modules))
    (tmp_path / "1_Pooling").mkdir()
    (tmp_path / "1_Pooling" / "config.json").write_text('{"pooling_mode_cls_token": true}')
    assert model_files.read_pooling(tmp_path, "").mode == "cls"
    assert model_files.read_pooling(tmp_path, "mean").mode == "mean"
    modules[1]["path"] = "../elsewhere"
    (tmp_path / "modules.json").write_text(json.dumps(modules))
    with pytest.raises(InputError, match="leaves the folder"):
        model_files.read_pooling(tmp_path, "")
    modules[1] = {"idx": 1, "path": "", "type": "os.path.Evil"}
    (tmp_path / "modules.json").write_text(json.dumps(modules))
    with pytest.raises(InputError, match="'Evil' cannot be used"):
        model_files.read_pooling(tmp_path, "")
