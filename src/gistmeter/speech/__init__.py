"""Transcripts against what was said."""

import warnings

import gistmeter


def __getattr__(name: str) -> object:
    """The public names that once stood here, with a warning."""
    if name not in dir(gistmeter):
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    warnings.warn(f"{__name__}.{name} is now gistmeter.{name}", DeprecationWarning, stacklevel=2)
    value: object = getattr(gistmeter, name)
    return value
