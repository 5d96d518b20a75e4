"""CoNLL-U and its kin: layouts, treebanks in columns, pairs of treebanks, validation."""

from gistmeter.parse.formats.layout import COBALD, CONLLU, SEMARKUP, Layout, declare
from gistmeter.parse.formats.reading import read_treebank
from gistmeter.parse.formats.treebank import Treebank, Vocabulary

__all__ = [
    "COBALD",
    "CONLLU",
    "SEMARKUP",
    "Layout",
    "Treebank",
    "Vocabulary",
    "declare",
    "read_treebank",
]
