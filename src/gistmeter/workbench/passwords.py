"""A password for a workbench that other machines can reach: kept as a scrypt hash, compared slowly.

The hash is spelled `scrypt$N$r$p$salt$key`, the last two in hex.
"""

from __future__ import annotations

import hashlib
import secrets

from gistmeter.core.errors import InputError

COST, BLOCK, PARALLEL = 2**15, 8, 1  # 32 MiB and about a tenth of a second
MEMORY = 64 * 1024**2
MOST = 2**20  # the largest cost that is accepted from outside
SHORTEST = 10  # characters


def hashed(password: str) -> str:
    """The hash of a new password; one that is too short to resist guessing is refused."""
    if len(password) < SHORTEST:
        raise InputError(
            f"The password has {len(password)} characters; give at least {SHORTEST}, since everyone"
            " on the network can try to guess it"
        )
    salt = secrets.token_bytes(16)
    key = _derive(password, salt, COST, BLOCK, PARALLEL)
    return f"scrypt${COST}${BLOCK}${PARALLEL}${salt.hex()}${key.hex()}"


def is_hash(text: str) -> bool:
    return text.startswith("scrypt$")


def matches(password: str, kept: str) -> bool:
    """Whether a password is the one that was hashed; the time does not tell how nearly."""
    try:
        name, cost, block, parallel, salt, key = kept.split("$")
        numbers = int(cost), int(block), int(parallel)
        wanted, grain = bytes.fromhex(key), bytes.fromhex(salt)
    except ValueError:
        raise InputError("The password's hash is not of the form scrypt$N$r$p$salt$key") from None
    if name != "scrypt" or not (1 < numbers[0] <= MOST and 0 < numbers[1] <= 32 and numbers[2] > 0):
        raise InputError("The password's hash is not of the form scrypt$N$r$p$salt$key")
    return secrets.compare_digest(_derive(password, grain, *numbers), wanted)


def _derive(password: str, salt: bytes, cost: int, block: int, parallel: int) -> bytes:
    memory = max(MEMORY, 256 * cost * block)
    content = password.encode("utf-8", "replace")
    return hashlib.scrypt(content, salt=salt, n=cost, r=block, p=parallel, maxmem=memory, dklen=32)
