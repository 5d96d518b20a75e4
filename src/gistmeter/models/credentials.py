"""Which key may go where.

A key belongs to its service, and a service has its hosts. At home, over TLS, a service gets its own
key. Any other host gets a key only from the variable that the user named for it. No key travels
unencrypted, except to this machine. The user did not type an address that stands in a configuration
file: `refuse_filed` says what to type instead.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import SplitResult, urlsplit

from gistmeter.core.errors import InputError

ENCRYPTED, PLAIN = ("https", "wss"), ("http", "ws")
MISLEADING = re.compile(r"[\s\\\x00-\x1f\x7f]")  # what programs read differently in an address


class Withheld(InputError):
    """A key that must not go to an address, or an address that a file alone has named."""


class NoKey(InputError):
    """A service's key is not in the environment."""


@dataclass(frozen=True, slots=True)
class Service:
    """A service with the variables of its key and its hosts, each with all names below it."""

    title: str
    variables: tuple[str, ...]
    hosts: tuple[str, ...]


SERVICES: Mapping[str, Service] = {
    "google": Service(
        "Google", ("GEMINI_API_KEY", "GOOGLE_API_KEY"), ("generativelanguage.googleapis.com",)
    ),
    "openai": Service("OpenAI", ("OPENAI_API_KEY",), ("api.openai.com",)),
    "anthropic": Service("Anthropic", ("ANTHROPIC_API_KEY",), ("api.anthropic.com",)),
}  # of language models; a recogniser of a service has its own


def _known(service: str | Service) -> Service | None:
    return SERVICES.get(service) if isinstance(service, str) else service


def parts_of(url: str) -> SplitResult:
    """An address taken apart; one that is none, or that can be read in two ways, is refused."""
    try:
        parts = urlsplit(url)
        host = parts.hostname or "%"  # of which a percent sign is no part, but for what decodes it
        good = parts.scheme in (*ENCRYPTED, *PLAIN) and "%" not in host
        _ = parts.port  # a ValueError where it is not a number
    except ValueError:
        good = False
    if not good or MISLEADING.search(url):
        raise InputError(
            "A server's address must be of the form https://host:port/path, or wss:// for a stream"
        )
    return parts


def host_of(url: str) -> str:
    """The host that an address leads to.

    >>> host_of("https://api.openai.com@example.org:8000/v1")
    'example.org'
    """
    return parts_of(url).hostname or ""


def is_own_machine(host: str) -> bool:
    """Whether a host is this machine, under a name or a number that no other machine reaches."""
    try:
        return host == "localhost" or ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def is_loopback(url: str) -> bool:
    """Whether an address leads to this machine."""
    return is_own_machine(host_of(url))


def stays_here(url: str) -> bool:
    """Whether a request is plain text for this machine: a proxy would carry it away from here."""
    return bool(url) and parts_of(url).scheme in PLAIN and is_loopback(url)


def is_home(service: str | Service, url: str) -> bool:
    """Whether an address is the service's own, reached over TLS; no address is its usual one."""
    if not url:
        return True
    known = _known(service)
    if known is None or parts_of(url).scheme not in ENCRYPTED:
        return False
    host = host_of(url)
    return any(host == home or host.endswith(f".{home}") for home in known.hosts)


def key_for(
    service: str | Service, url: str, environment: Mapping[str, str], variable: str = ""
) -> str:
    """The key that goes to an address, "" for none: the service's at home, else the named one."""
    if variable:
        return named_key(variable, url, environment)
    known = _known(service)
    if known is None or not is_home(service, url):
        return ""
    keys = (environment.get(name, "").strip() for name in known.variables)
    return next(filter(None, keys), "")


def named_key(variable: str, url: str, environment: Mapping[str, str]) -> str:
    """The key in a variable that the user named for an address."""
    key = environment.get(variable, "").strip()
    if not key:
        raise Withheld(f"The environment variable {variable}, named for a key, is not set")
    require_encryption(url)
    return key


def require_encryption(url: str) -> None:
    """No key travels in plain text, except within this machine."""
    if url and parts_of(url).scheme in PLAIN and not is_loopback(url):
        raise Withheld(
            f"{host_of(url)} would get a key unencrypted. Use an address with https:// or wss://;"
            " http:// and ws:// take a key to this machine only (127.0.0.1, ::1, localhost)"
        )


def refuse_filed(
    service: str | Service, url: str, option: str, advice: str, *, keyed: bool = False
) -> None:
    """Refuse an address of a configuration file, unless it is home, or here and without a key."""
    if is_home(service, url) or (is_loopback(url) and not keyed):
        return
    known = _known(service)
    owner = f"{known.title}'s own host" if known is not None else "a known service"
    raise Withheld(
        f"{option} in the configuration file leads to {host_of(url)}, which is not {owner}. Nothing"
        f" is sent to such an address on a file's word alone: {advice}"
    )
