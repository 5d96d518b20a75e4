"""Abridged books against their originals."""
