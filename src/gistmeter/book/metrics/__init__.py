"""Aligning a summary with its book, and measuring how faithful it is.

`paths` aligns (with `recurrences` and `wavefront` underneath), `similarity` compares sentences,
`measures` and `book_comparison` hold the formulas, `sentence_rows` makes rows of them,
`book_alignment` is the metric, and `description` makes what a reader wants to look at.
"""
