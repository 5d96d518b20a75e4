"""A family of another package, with a view of its own and without one."""

from __future__ import annotations

from gistmeter.core.family import Family
from gistmeter.core.views import Block, Dots, Lines, Opener, Point, Row, View


class RecipeView(View):
    def blocks(self, row: Row, opener: Opener) -> list[Block]:
        return [{"k": "note", "n": "Dish", "x": f"{row.text('dish')} of {opener.run.command}"}]

    def charts(self, opener: Opener) -> list[Dots | Lines]:
        return [Dots("By course", [Point(name, 0.5, "soup") for name in opener.run.systems])]


VIEW = RecipeView(heading="Does it taste?", noun="dish", names={"taste": "good taste"})


class Recipes(Family):
    name, noun, shows = "recipe", "dish", "report.recipes:VIEW"


class Plain(Family):
    name, noun = "recipe", "dish"
