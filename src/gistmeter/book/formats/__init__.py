"""Books in files: one small reader per format, each giving the text with its chapters marked.

A reader takes a file's bytes and gives a `Written`: paragraphs apart by blank lines, headings as
Markdown (`# Title`), which count in every language. `shelf` puts originals and editions together,
`matter` sets aside what is not the book.
"""
