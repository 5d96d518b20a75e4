"""Transcripts against what was said."""
