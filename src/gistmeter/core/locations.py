"""Where things are kept between runs. No place here changes a score."""

from __future__ import annotations

import os
from pathlib import Path


def cache_folder() -> Path:
    """Where answers and converted models are kept: GISTMETER_CACHE_DIR or the user's cache."""
    import platformdirs

    given = os.environ.get("GISTMETER_CACHE_DIR")
    return Path(given) if given else Path(platformdirs.user_cache_dir("gistmeter"))


def cache_file() -> Path:
    """The file of the models' answers."""
    return cache_folder() / "answers.sqlite"


def state_folder() -> Path:
    """Where the user's own decisions are kept: GISTMETER_STATE_DIR or the user's state folder."""
    import platformdirs

    given = os.environ.get("GISTMETER_STATE_DIR")
    return Path(given) if given else Path(platformdirs.user_state_dir("gistmeter"))


def trust_file() -> Path:
    """The file of the folders whose configurations are trusted."""
    return state_folder() / "trust.json"
