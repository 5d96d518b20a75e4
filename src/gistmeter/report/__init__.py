"""From values to words and pictures, once, at the end: terminal, tables, HTML."""

# What -o writes; .docx is for books
SUFFIXES = (".json", ".csv", ".tsv", ".xlsx", ".parquet", ".md", ".tex", ".html", ".docx")
