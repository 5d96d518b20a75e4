"""Aligning a summary with its book, and measuring how faithful it is.

`paths` aligns (with `band`, `fixed_point`, `recurrences`, `wavefront` underneath), `similarity`
compares sentences, `measures` and `comparison` hold the formulas, `metric` makes rows of them, and
`documents` what a reader wants to look at.
"""
