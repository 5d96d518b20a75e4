"""A library that cannot start a thread ends a command as memory that ran out does."""

from __future__ import annotations

import click
import pytest

from gistmeter.cli import app
from gistmeter.cli.memory import is_exhaustion, is_panic


class PanicException(BaseException):
    """What Polars raises."""


def test_a_panic_for_want_of_threads_is_exhaustion() -> None:
    error = PanicException('Os { code: 11, message: "Resource temporarily unavailable" }')
    assert is_panic(error) and is_exhaustion(error)
    assert not is_exhaustion(PanicException("index out of bounds"))
    assert not is_panic(KeyboardInterrupt())


def test_a_command_that_panics_ends_with_a_message(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def panic(*_: object, **__: object) -> None:
        raise PanicException("Resource temporarily unavailable")

    monkeypatch.setattr(click.Group, "main", panic)
    assert app.main(["--version"], standalone_mode=False) == 1
    assert "memory ran out" in capsys.readouterr().err
