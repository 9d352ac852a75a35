"""Texts that any database can hold: messages of errors may contain anything, and be of any length."""

from __future__ import annotations

#: a traceback of a recursion, or a message that holds a tensor, is cut to so much
MOST_CHARACTERS = 1 << 16


def storable_text(text: str) -> str:
    """Return a text without lone surrogates (file names in another encoding) and zeros, cut in its middle."""
    text = text.encode("utf-8", "backslashreplace").decode().replace("\0", "\\x00")
    if len(text) <= MOST_CHARACTERS:
        return text
    half = MOST_CHARACTERS // 2
    return f"{text[:half]}\n... {len(text) - 2 * half} characters are left out ...\n{text[-half:]}"
