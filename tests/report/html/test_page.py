"""The page without a browser: what it says, what it holds, and what it does not let through."""

from __future__ import annotations

import ast
import base64
import hashlib
import json
import math
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.made_runs import make_rows
from gistmeter.book.book_document import BookDocument
from gistmeter.book.map import book_view, pooled
from gistmeter.core import registry
from gistmeter.core.comparison import findings_of
from gistmeter.core.comparison.answer import Standing, answer
from gistmeter.core.family import family_of
from gistmeter.core.rows import Rows
from gistmeter.core.run import Run
from gistmeter.core.views import Dots, Lines, Point, script_language, shown, visible
from gistmeter.core.wording import gap
from gistmeter.report import charts, drawing, human_agreement
from gistmeter.report.html import to_script
from gistmeter.report.html.items import choose
from gistmeter.report.html.page import build_page, section_names, write_report
from gistmeter.speech.views import diff_runs
from gistmeter.text.views import mark
from report.sample_runs import (
    VIEWS,
    Means,
    book_run,
    finish,
    parse_run,
    speech_run,
    text_run,
    views,
)


def built(runs: list[Run], **more: Any) -> str:
    return build_page(runs, views=views(runs), **more)


def data_of(page: str, number: int = 1) -> dict[str, Any]:
    """The JSON that a section carries."""
    start = page.index(f'id="data-run-{number}">') + len(f'id="data-run-{number}">')
    found: dict[str, Any] = json.loads(page[start : page.index("</script>", start)])
    return found


@given(st.text(st.characters(), max_size=60))
def test_data_in_a_script_comes_back_whole_and_cannot_end_it(text: str) -> None:
    written = to_script({"text": text})
    assert json.loads(written) == {"text": text}
    assert not re.search("[<>&\u2028\u2029\ud800-\udfff]", written)


@given(st.text(st.characters(), max_size=60))
def test_visible_text_holds_nothing_that_moves_or_hides(text: str) -> None:
    unsafe = "[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
    assert not re.search(unsafe, visible(text))


def test_long_texts_are_cut_with_their_length() -> None:
    assert shown("x" * 5000) == "x" * 4000 + " … (+1,000 characters)"
    assert shown(None) == ""


def test_the_policy_lets_in_this_script_and_style_only() -> None:
    page = built([speech_run()[0]])
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)
    assert policy
    told = policy[1].replace("&#39;", "'")
    assert told.startswith("default-src 'none';")
    assert "unsafe" not in told
    for tag in ("style", "script"):
        body = re.search(rf"<{tag}>(.*?)</{tag}>", page, re.DOTALL)
        assert body
        digest = base64.b64encode(hashlib.sha256(body[1].encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in told


def test_sections_of_one_kind_are_told_apart_by_their_folder(tmp_path: Path) -> None:
    runs = [text_run(tmp_path / name)[0] for name in ("text-zh", "text-ja")]
    page = built([*runs, speech_run()[0]])
    assert "does it mean what it should? (zh)" in page
    assert ">Text ja</a>" in page
    alike = [text_run(tmp_path / name)[0] for name in ("text", "text2")]
    assert section_names(alike) == ["1", "2"]
    assert ">Speech</a>" in page


def test_the_page_names_no_other_place() -> None:
    loaded = [text_run(), book_run(), parse_run(), speech_run()]
    page = built([run for run, _ in loaded])
    markup = re.sub(r'xmlns="http://www.w3.org/2000/svg"', "", page)
    markup = markup.replace('"http://www.w3.org/2000/svg"', "")  # the script's own name for SVG
    markup = re.sub(r"sha256-[\w+/=]+", "", markup)  # a hash may hold two slashes by chance
    assert not re.search(r"(?:https?:)?//\w", re.sub(r"// .*", "", markup))
    assert 'src="' not in page.split("<script type=")[0]


def test_scores_are_named_literally_and_unscored_counts_stand_in_plain_sight() -> None:
    run, _ = text_run()
    page = built([run])
    for name in ("s_acc", "bertscore", "lexical_cosine"):
        assert f"<code>{name}</code>" in page
    assert "<b>3</b> unscored" in page
    assert "<b>10</b> truncated" in page
    assert "no prediction (3)" in page
    assert run.signature in page


def test_a_partial_score_is_marked() -> None:
    class Partial(Means):
        partial = {"s_acc": ("cross_encoder",)}  # noqa: RUF012

    run, _ = text_run()
    assert run.rows is not None
    page = built([finish("text", run.rows, {"s_acc": Partial(("s_acc",))})[0]])
    assert "s_acc* is partial: it was made without cross_encoder." in page


def two_systems(gap: float, size: int = 60, spread: float = 0.1) -> Run:
    random = np.random.default_rng(3)
    base = random.normal(0.6, 0.1, size)
    ids = [str(number) for number in range(size)]
    parts = [
        Rows(
            {"id": ids, "system": [name] * size, "group": [""] * size, "cluster": ids},
            np.arange(size),
        ).with_numbers({"kept": base + shift + random.normal(0, spread, size)})
        for name, shift in (("first", gap), ("second", 0.0))
    ]
    return finish("text", Rows.concat(parts), {"m": Means(("kept",))})[0]


def told(run: Run) -> str:
    return answer(Standing(run, VIEWS["text"], findings_of(run)))


def test_the_answer_says_who_is_ahead_by_how_much_and_whether_it_is_real() -> None:
    real = told(two_systems(0.2))
    assert real.startswith("first is ahead on kept with 0.794 (0.759 – 0.829), 0.179 above")
    assert "The difference is real: interval 0.1" in real
    assert "p < 0.001" in real
    doubt = told(two_systems(0.003))
    assert "the data cannot tell second and first apart (p = 0.353)" in doubt
    assert "would not show" in doubt


def test_the_answer_for_one_system_and_for_too_few_items() -> None:
    run, _ = book_run()
    assert answer(Standing(run, VIEWS["book"])).startswith(
        "abridged reaches coverage above the mean (coverage) 0.857"
    )
    few = two_systems(0.2, size=3)
    assert "3 items are too few to test" in told(few)


def test_the_report_of_nothing_but_failures_is_still_a_report(tmp_path: Path) -> None:
    keys = {"id": ["a", "b"], "system": ["s", "s"], "group": ["", ""], "cluster": ["a", "b"]}
    rows = Rows(keys, np.arange(2)).with_numbers({"kept": [math.nan, math.nan]})
    run, _ = finish(
        "text", rows.with_reasons("kept", {0: "no text", 1: "no text"}), {"m": Means(("kept",))}
    )
    write_report([run], tmp_path / "r.html")
    page = (tmp_path / "r.html").read_text()
    assert "kept could not be computed for any system" in page
    assert "no text (2)" in page


def test_a_metric_nobody_knows_opens_with_all_its_columns() -> None:
    keys = {"id": ["a"], "system": ["s"], "group": ["g"], "cluster": ["a"]}
    rows = Rows(keys, np.arange(1)).with_numbers({"novelty": [0.5], "inner": [7.0]})
    run, _ = finish(
        "plug-in", rows.with_texts({"story": ["Es war einmal."]}), {"m": Means(("novelty",))}
    )
    item = data_of(built([run]))["items"][0]
    assert item["b"][0] == {"k": "text", "n": "story", "s": [["Es war einmal.", ""]]} | (
        {"l": item["b"][0]["l"]} if "l" in item["b"][0] else {}
    )
    assert ["inner", 7.0] in item["b"][1]["r"]


def test_marks_are_cut_at_their_places() -> None:
    runs = mark("他不是不努力", ["努力"], [(1, 3, "negation"), (4, 6, "not positive")])
    assert runs == [("他", ""), ("不是", "negation"), ("不", ""), ("努力", "not positive")]
    assert mark("The Dogs bark", ["dog"], []) == [("The ", ""), ("Dogs", "shared"), (" bark", "")]


@given(st.text(max_size=30), st.lists(st.text(min_size=1, max_size=3), max_size=4))
def test_marking_loses_no_character(text: str, words: list[str]) -> None:
    assert "".join(part for part, _ in mark(text, words, [])) == visible(text)


def test_broken_marks_facts_and_diffs_are_passed_over() -> None:
    keys = {"id": ["a"], "system": ["s"], "group": [""], "cluster": ["a"]}
    rows = Rows(keys, np.arange(1)).with_numbers({"kept": [0.5]})
    texts: dict[str, list[str | None]] = {
        "prediction": ["p"], "reference": ["r"], "marks": ['{"prediction": [[0, 99, "x"], 5]}'],
        "diff": ["not json"], "facts": ["[3, null]"],
    }  # fmt: skip
    for command, expected in (("text", ["text", "text"]), ("speech", ["facts"])):
        run, _ = finish(command, rows.with_texts(texts), {"m": Means(("kept",))})
        kinds = [block["k"] for block in data_of(built([run]))["items"][0]["b"]]
        assert kinds[: len(expected)] == expected


def test_a_diff_keeps_what_was_lost_before_what_took_its_place() -> None:
    edits = [["=", "a", "a"], ["s", "b", "c"], ["d", "d", ""], ["i", "", "e"]]
    runs = [run for run in diff_runs(edits) if run[0] != " "]
    expected = ["a", "-b", "+c", "-d", "+e"]
    signs = {"": "", "deleted": "-", "inserted": "+"}
    assert [signs[kind] + words for words, kind in runs] == expected


def test_sound_is_embedded_while_there_is_room_and_linked_afterwards(tmp_path: Path) -> None:
    sound = tmp_path / "clips" / "a b.wav"
    sound.parent.mkdir()
    content = b"RIFF" + bytes(400_000)
    sound.write_bytes(content)
    run, _ = speech_run()
    assert run.rows is not None
    names = [str(sound)] * 22 + [str(tmp_path / "missing.wav"), "javascript:alert(1)"]
    notes = {**run.notes, "recordings": {str(sound): hashlib.sha256(content).hexdigest()}}
    heard = replace(run, rows=run.rows.with_texts({"audio": names}), notes=notes)
    data = data_of(built([heard], page=tmp_path / "out" / "report.html"))
    assert [block["u"][:15] for block in data["shared"][str(sound)]] == ["data:audio/wav;"]
    assert sum("a" in item for item in data["items"]) == 22  # pointing to the one recording
    sound.write_bytes(b"RIFF" + bytes(400_001))  # another file than the one that was scored
    data = data_of(built([heard], page=tmp_path / "out" / "report.html"))
    assert [block["u"] for block in data["shared"][str(sound)]] == ["../clips/a%20b.wav"]
    sound.write_bytes(b"RIFF" + bytes(1_100_000))
    data = data_of(built([heard], page=tmp_path / "out" / "report.html"))
    assert [block["u"] for block in data["shared"][str(sound)]] == ["../clips/a%20b.wav"]


def test_a_book_is_kept_once_and_its_sentences_point_to_it() -> None:
    data = data_of(built([book_run()[0]]))
    assert set(data["shared"]) == {"The old man.json", "渔夫.json"}
    pointed = {item["e"] for item in data["items"]}
    assert pointed == set(data["shared"])
    view = data["shared"]["The old man.json"]
    assert [block["k"] for block in view] == ["parallel", "heat"]
    assert view[0]["a"] == [0, 2, 6, None]
    assert view[0]["w"] == [3]


def test_a_long_source_is_shown_around_what_was_used() -> None:
    source = [f"Sentence {number}." for number in range(4000)]
    document = {
        "source": {"sentences": source},
        "sentences": [
            {"sentence": "a", "place": 100, "aligned_similarity": 0.9, "covered": True},
            {"sentence": "b", "place": None, "aligned_similarity": None, "covered": None},
        ],
    }
    (view,) = book_view(BookDocument.from_dict(document), room=4000)
    assert [number for number, _ in view["l"]] == [99, 100, 101, 102, 103]
    assert view["a"] == [2, None]
    assert view["w"] == [1]


def test_a_heat_map_keeps_the_largest_of_its_cells() -> None:
    assert pooled([[1, 2, 3, 4], [5, 6, 7, 8]], 1, 2) == [[6, 8]]
    assert pooled([[1, 2]], 5, 5) == [[1, 2]]


def test_sentences_with_trees_come_first() -> None:
    data = data_of(built([parse_run()[0]]))
    assert data["sort"] == ""
    first = data["items"][0]
    assert [block["k"] for block in data["shared"][first["a"]]] == ["tree"]
    assert first["x"] == "The dog saw her duck ."
    assert {"upos:VERB>NOUN", "head:nmod", "deprel:obj>xcomp"} <= set(first["q"])


def test_a_confusion_finds_its_sentences() -> None:
    page = built([parse_run()[0]])
    assert 'data-query="upos:VERB&gt;NOUN" data-system="hasty"' in page


def test_items_worth_seeing_are_chosen_without_repetition() -> None:
    run, _ = text_run(items=500)
    assert run.rows is not None
    values = run.rows.values("s_acc")
    chosen = list(choose(run.rows, "s_acc", higher=True, everything=False, most=200))
    assert len(chosen) == len(set(chosen)) == 200
    assert set(np.flatnonzero(np.isnan(values)).tolist()) <= set(chosen)
    assert int(np.nanargmin(values)) in chosen
    everyone = list(choose(run.rows, "s_acc", higher=True, everything=True))
    assert sorted(everyone) == list(range(len(run.rows)))


def test_a_thousand_items_fit_in_three_megabytes_and_all_are_there_on_demand(
    tmp_path: Path,
) -> None:
    run, _ = text_run(items=334, systems=1)
    path = tmp_path / "report.html"
    write_report([run], path)
    assert path.stat().st_size <= 3_000_000
    assert len(data_of(path.read_text())["items"]) == 1002
    large, _ = text_run(items=1200, systems=1)
    write_report([large], path)
    assert len(data_of(path.read_text())["items"]) < 3600
    write_report([large], path, everything=True)
    assert len(data_of(path.read_text())["items"]) == 3600


def test_languages_decide_the_fonts() -> None:
    assert script_language("かな漢字") == "ja"
    assert script_language("한국어") == "ko"
    assert script_language("漢字", "zh-Hant") == "zh-Hant"
    assert script_language("汉字") == "zh"
    assert script_language("words", "cs") == "cs"
    assert script_language("words", "auto") == ""


def test_labels_that_look_alike_are_told_apart() -> None:
    labels = drawing.unique_labels(["a" * 40 + "1", "a" * 40 + "2", "<b>"])
    assert len(set(labels.values())) == 3
    assert all(len(label) <= drawing.MAX_LABEL for label in labels.values())


def test_a_broken_document_beside_a_run_is_as_good_as_none(tmp_path: Path) -> None:
    (tmp_path / "details").mkdir()
    (tmp_path / "details" / "sentences.json").write_text("{broken")
    (tmp_path / "details" / "book.json").write_text('{"kind": "book", "title": "x"}')
    run, _ = text_run(tmp_path)
    assert "s_acc" in built([run])


# What a family from another package shows, and what one that says nothing gets.


def recipe_page(family: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    families: Any = registry.TABLES["gistmeter.families"]
    monkeypatch.setitem(families, "recipe", family)
    keys = {"id": ["a"], "system": ["s"], "group": [""], "cluster": ["a"]}
    rows = Rows(keys, np.arange(1)).with_numbers({"taste": [0.5], "inner": [7.0]})
    rows = rows.with_texts({"dish": ["Borsch"]})
    run, _ = finish("recipe", rows, {"m": Means(("taste",))})
    return run.report(tmp_path / "report.html").read_text()


def test_a_family_of_another_package_is_shown_by_its_own_view(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = recipe_page("report.recipes:Recipes", tmp_path, monkeypatch)
    assert '<h2 id="run-1-title">Does it taste?' in page
    assert "s reaches good taste (taste) 0.500 on 1 dish." in page
    assert "By course" in page
    blocks = data_of(page)["items"][0]["b"]
    assert blocks[0] == {"k": "note", "n": "Dish", "x": "Borsch of recipe"}
    assert [block["k"] for block in blocks] == ["note", "table"]  # the dish is not shown again


def test_a_family_that_shows_nothing_gets_all_its_columns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = recipe_page("report.recipes:Plain", tmp_path, monkeypatch)
    assert "Recipe</h2>" in page
    assert "s reaches taste 0.500 on 1 dish." in page
    assert [block.get("n") for block in data_of(page)["items"][0]["b"]] == ["dish", None]


@pytest.mark.parametrize("name", sorted(VIEWS))
def test_each_of_our_families_is_shown_by_its_own_view(name: str) -> None:
    view = family_of(name).view()
    assert view is VIEWS[name]
    assert view.heading
    assert view.names


def test_the_report_knows_no_family_by_name() -> None:
    room = Path(charts.__file__).parent
    for path in room.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Constant):
                assert node.value not in ("book", "parse", "speech"), f"{path}:{node.lineno}"
            if isinstance(node, ast.ImportFrom):
                assert "families" not in (node.module or "").split("."), f"{path}:{node.lineno}"


# Colours, marks and charts.


def colours(page: str) -> dict[str, set[str]]:
    """The colours that each name stands beside, wherever it does."""
    found: dict[str, set[str]] = {}
    pattern = r'class="sign (s\d)"[^>]*><path d="([^"]+)"[^>]*></path></svg>([^<]+)<'
    for colour, path, name in re.findall(pattern, page):
        found.setdefault(name, set()).add(f"{colour} {path}")
    return found


def test_a_system_has_one_colour_and_mark_in_the_whole_page_whatever_the_order() -> None:
    run, _ = text_run()
    turned = replace(run, systems=dict(reversed(run.systems.items())))
    pages = [built([run]), built([turned]), built([speech_run()[0], turned])]
    first, second, third = (colours(page) for page in pages)
    assert first == second
    assert set(first) == set(run.systems)
    assert all(len(found) == 1 for found in third.values())
    assert len({str(found) for found in first.values()}) == 3
    for system, found in first.items():  # the charts' marks are those of the leaderboard
        colour, path = next(iter(found)).split(" ", 1)
        label = re.escape(drawing.label(system))
        marks = re.findall(rf'class="at (s\d)"><path d="([^"]+)"[^>]*><title>{label} ', pages[0])
        assert set(marks) == {(colour, path)}
    data = data_of(pages[0])
    assert [f"s{at}" for at in data["colours"]] == [
        next(iter(first[name])).split()[0] for name in data["systems"]
    ]


def test_more_systems_than_colours_still_differ() -> None:
    names = [f"system {number}" for number in range(40)]
    palette = drawing.Palette.of(names)
    assert len({(palette.colour(name), palette.mark(name)) for name in names}) == 40


def test_equal_marks_do_not_cover_each_other() -> None:
    points = [Point(name, 0.5, "group") for name in "abc"]
    drawn = charts.dots(Dots("equal", points), drawing.Palette.of("abc"), list("abc"))
    assert len(set(re.findall(r'class="at', drawn))) == 1
    assert len(set(re.findall(r'y="(\d+)" class="at', drawn))) == 3


def test_a_score_is_marked_only_where_its_lead_is_real() -> None:
    """As in LaTeX: the best value of systems that cannot be told apart has no mark."""
    seeded, ids = np.random.default_rng(2), [str(at) for at in range(24)]
    marked = {}
    for step in (0.0, 0.3):
        parts = [
            make_rows(name, {"accuracy": 0.5 + step * at + seeded.normal(0, 0.05, 24)}, ids=ids)
            for at, name in enumerate(("a", "b"))
        ]
        run = finish("text", Rows.concat(parts), {"m": Means(("accuracy",))})[0]
        page = built([run], findings=[run.findings])
        assert "▲: shown to be ahead of every other system." in page
        marked[step] = re.findall(r'<span class="value">▲ ([\d.]+)', page)
    assert marked[0.0] == [] and len(marked[0.3]) == 1


def test_a_system_that_skips_items_has_no_rank_in_the_leaderboard() -> None:
    run, metrics = text_run(items=10, systems=3)
    values = run.measured.values("s_acc").copy()
    best = np.asarray(run.measured.keys["system"]) == "细心的模型"
    values[best & (np.arange(len(values)) % 3 > 0)] = np.nan
    skipping, _ = finish("text", run.measured.with_numbers({"s_acc": values}), metrics)
    page = built([skipping])
    ranks = re.findall(r'<td class="rank">(.*?)</td>', page)
    assert sorted(ranks)[-1] == "–"
    assert ranks[-1] == "–"


def test_scores_in_pictures_have_plain_names_uncut_beside_their_codes() -> None:
    page = built([text_run()[0]])
    assert ">word-by-word similarity (bertscore)</span>" in page
    assert ">similarity of meaning (representation)</span>" in page


def test_two_systems_have_no_matrix_and_three_have_one() -> None:
    for systems, expected in ((2, 0), (3, 1)):
        run, _ = text_run(systems=systems)
        page = built([run], findings=[findings_of(run)])
        assert page.count('class="matrix"') == expected


def test_a_matrix_of_many_systems_takes_the_whole_width() -> None:
    for systems, wide in ((3, False), (12, True)):
        run, _ = text_run(systems=systems)
        page = built([run], findings=[findings_of(run)])
        figure = page[: page.index('class="matrix"')].rpartition("<figure")[2]
        assert ("class=spread" in figure.partition(">")[0]) is wide


def test_the_line_against_length_never_turns_back() -> None:
    run, _ = text_run(items=80)
    lines = re.findall(r'<path d="M([^"]+)" class="line', built([run]))
    assert len(lines) == 3
    for line in lines:
        places = [float(pair.split(",")[0]) for pair in line.split("L")]
        assert places == sorted(set(places))


@given(st.text(st.characters(), max_size=40), st.text(st.characters(), max_size=40))
def test_charts_let_no_markup_through(system: str, group: str) -> None:
    points = [Point(system, 0.1, group), Point("other", 0.2, group)]
    palette = drawing.Palette.of([system, "other"])
    drawn = charts.draw(Dots(group, points, group), palette, [system, "other"])
    drawn += charts.draw(
        Lines(group, [replace(p, x=1.0) for p in points], group), palette, [system, "other"]
    )
    inside = re.sub(r"<(/?)(div|svg|line|path|title|text|span|ul|li|p|circle)\b[^<>]*>", "", drawn)
    assert "<" not in inside
    assert ">" not in inside


@given(st.floats(-1e6, 1e6), st.floats(1e-6, 1e6))
def test_scales_have_round_numbers_within_them(low: float, size: float) -> None:
    scale = drawing.Axis(low, low + size)
    ticks = scale.ticks()
    assert len(ticks) <= 7  # six steps
    assert all(-1e-6 <= scale.place(tick) <= 100 + 1e-6 for tick in ticks)


# Wording.


def test_a_difference_is_never_nothing() -> None:
    assert gap(0.04, "%") == "0.04 points"
    assert gap(12.34, "%") == "12.3 points"
    assert gap(0.0001) == "0.0001"
    assert "are level on" in told(two_systems(0.0, size=40, spread=0.0))


def test_the_page_does_not_speak_of_clusters_and_names_its_data() -> None:
    loaded = [text_run(), book_run(), parse_run(), speech_run()]
    runs = [run for run, _ in loaded]
    page = built(runs, findings=[findings_of(run) for run in runs])
    assert "cluster" not in re.sub(r"<script.*?</script>", "", page, flags=re.DOTALL)
    assert "resamples of whole speakers" in page
    assert "word errors (wer)" in page
    assert "<title>4 runs: text, book, parse and speech</title>" in page
    one = replace(runs[0], inputs={"model_a.csv": "0", "references.csv": "0"})
    assert "<title>Text: model_a.csv and references.csv</title>" in built([one])
    assert "<title>Idioms of May</title>" in built([one], title="Idioms of May")


def test_a_part_that_agrees_with_people_better_than_the_whole_is_said() -> None:
    refit = {
        "components": [{"name": "sts"}, {"name": "f_beta"}],
        "given_pearson": 0.5, "given_spearman": 0.6, "fitted_pearson": 0.5, "fitted_spearman": 0.5,
    }  # fmt: skip
    scores = {"sts": {"spearman": {"value": 0.7}}, "f_beta": {"spearman": {"value": None}}}
    told = human_agreement.verdict({"weights": refit, "scores": scores})
    assert told.endswith("sts alone agrees better than all parts together: rho = 0.700.")
    scores["sts"]["spearman"]["value"] = 0.6
    assert "alone" not in human_agreement.verdict({"weights": refit, "scores": scores})
