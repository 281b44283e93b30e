"""Which licence a licence file holds, by phrases that only it has."""

import re

_NAME = re.compile(rb"(licen[cs]e|copying|unlicense)([.-][\w.-]*)?", re.IGNORECASE)
_MARKS = (
    ("AGPL-3.0-only", "gnu affero general public license version 3"),
    ("LGPL-3.0-only", "gnu lesser general public license version 3"),
    ("LGPL-2.1-only", "gnu lesser general public license version 2.1"),
    ("GPL-3.0-only", "gnu general public license version 3"),
    ("GPL-2.0-only", "gnu general public license version 2"),
    ("MPL-2.0", "mozilla public license version 2.0"),
    ("MPL-2.0", "mozilla public license, version 2.0"),
    ("Apache-2.0", "apache license version 2.0"),
    ("Apache-2.0", "apache license, version 2.0"),
    ("BSD-3-Clause", "be used to endorse or promote products"),
    ("BSD-2-Clause", "redistribution and use in source and binary forms"),
    ("ISC", "permission to use, copy, modify, and/or distribute this software"),
    ("ISC", "permission to use, copy, modify, and distribute this software"),
    ("MIT", "permission is hereby granted, free of charge, to any person"),
    ("Unlicense", "this is free and unencumbered software released into the public"),
)
"""In this order: an Apache text mentions nothing of a later row, and so on. Whether a
GPL is `or-later` stands in the sources, not in the licence."""
_MAX_BYTES = 64 * 1024


def is_licence_file(name: bytes) -> bool:
    """Tell whether a file at the root of a repository should hold its licence."""
    return _NAME.fullmatch(name) is not None


def recognised_licence(data: bytes) -> str:
    """SPDX identifier of a licence text; empty if it is none that is known here."""
    text = " ".join(data[:_MAX_BYTES].decode("utf-8", "replace").lower().split())
    for name, mark in _MARKS:
        if mark in text:
            return name
    return ""
