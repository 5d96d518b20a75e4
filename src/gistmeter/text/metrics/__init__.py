"""The metrics of texts."""
