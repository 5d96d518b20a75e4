"""Thai: words by a dictionary; sentences at spaces are not cut, only at terminators and lines."""

from __future__ import annotations

from gistmeter.languages.analysers.thai import Thai
from gistmeter.languages.language import Language
from gistmeter.languages.normalisation import join_grouped
from gistmeter.languages.sentences import Splitter

LANGUAGE = Language("th", Thai(), spaced=False, splitter=Splitter("generic"), steps=(join_grouped,))
