"""From values to words and pictures, once, at the end: terminal, tables, HTML."""

SUFFIXES = (".json", ".csv", ".tsv", ".xlsx", ".parquet", ".md", ".html")  # of files that -o writes
