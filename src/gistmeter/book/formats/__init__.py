"""Books in files: one reader per format, each giving the text with its chapters marked.

A reader takes a file's bytes and gives a `BookText`: paragraphs apart by blank lines, headings as
Markdown (`# Title`), which count in every language.
"""
