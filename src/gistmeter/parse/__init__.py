"""Parses against gold."""
