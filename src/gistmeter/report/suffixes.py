"""The suffixes by which `-o` knows a file's format."""

SUFFIXES = (".json", ".csv", ".tsv", ".xlsx", ".parquet", ".md", ".html")
