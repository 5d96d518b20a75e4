"""CoNLL-U and its kin: treebanks in columns, pairs of treebanks, taxonomies, tools."""
