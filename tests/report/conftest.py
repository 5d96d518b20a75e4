"""One browser for all of the report's tests."""

from __future__ import annotations

from collections.abc import Iterator

import browser
import pytest


@pytest.fixture(scope="session")
def tab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[browser.Tab]:
    with browser.start(tmp_path_factory.mktemp("chromium")) as opened:
        yield opened
