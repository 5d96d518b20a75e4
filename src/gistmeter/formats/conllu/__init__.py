"""CoNLL-U and its kin: layouts, treebanks in columns, pairs of treebanks, validation."""

from gistmeter.formats.conllu.layout import COBALD, CONLLU, SEMARKUP, Layout, declare
from gistmeter.formats.conllu.reading import read_treebank
from gistmeter.formats.conllu.treebank import Treebank, Vocabulary

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
