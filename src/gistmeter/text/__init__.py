"""Texts against references."""
