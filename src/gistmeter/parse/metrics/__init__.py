"""The metrics of parses."""
