"""SPDX identifiers of licences, from the names that people give them.

SPDX list 3.27, https://spdx.org/licenses/. Only what stands in source sets or is common
on package indexes is known; a name that leaves the version open ("BSD", "GPL",
"Apache Software License") is unknown rather than guessed.
"""

import re
from collections.abc import Mapping
from types import MappingProxyType

_IDENTIFIERS = (
    "0BSD",
    "AFL-3.0",
    "AGPL-3.0-only",
    "AGPL-3.0-or-later",
    "Apache-1.1",
    "Apache-2.0",
    "Artistic-2.0",
    "BSD-2-Clause",
    "BSD-2-Clause-Patent",
    "BSD-3-Clause",
    "BSD-3-Clause-Clear",
    "BSD-4-Clause",
    "BSL-1.0",
    "BlueOak-1.0.0",
    "CC-BY-3.0",
    "CC-BY-4.0",
    "CC-BY-SA-3.0",
    "CC-BY-SA-4.0",
    "CC0-1.0",
    "CECILL-2.1",
    "ECL-2.0",
    "EPL-1.0",
    "EPL-2.0",
    "EUPL-1.1",
    "EUPL-1.2",
    "GPL-2.0-only",
    "GPL-2.0-or-later",
    "GPL-3.0-only",
    "GPL-3.0-or-later",
    "HPND",
    "ISC",
    "LGPL-2.0-only",
    "LGPL-2.0-or-later",
    "LGPL-2.1-only",
    "LGPL-2.1-or-later",
    "LGPL-3.0-only",
    "LGPL-3.0-or-later",
    "LPPL-1.3c",
    "MIT",
    "MIT-0",
    "MIT-CMU",
    "MPL-1.1",
    "MPL-2.0",
    "MS-PL",
    "MS-RL",
    "MulanPSL-2.0",
    "NCSA",
    "OFL-1.1",
    "OSL-3.0",
    "PSF-2.0",
    "PostgreSQL",
    "Python-2.0",
    "UPL-1.0",
    "Unlicense",
    "Vim",
    "WTFPL",
    "X11",
    "ZPL-2.1",
    "Zlib",
)

_OTHER_NAMES: Mapping[str, str] = MappingProxyType(
    {
        "AGPL-3.0": "AGPL-3.0-only",
        "AGPL v3": "AGPL-3.0-only",
        "AGPL v3+": "AGPL-3.0-or-later",
        "GNU Affero General Public v3": "AGPL-3.0-only",
        "GNU Affero General Public v3.0": "AGPL-3.0-only",
        "Apache 2": "Apache-2.0",
        "Apache 2.0": "Apache-2.0",
        "Apache Software 2.0": "Apache-2.0",
        "BSD-2": "BSD-2-Clause",
        "BSD 2-Clause Simplified": "BSD-2-Clause",
        "Simplified BSD": "BSD-2-Clause",
        "FreeBSD": "BSD-2-Clause",
        "2-Clause BSD": "BSD-2-Clause",
        "BSD-3": "BSD-3-Clause",
        "BSD 3-Clause New or Revised": "BSD-3-Clause",
        "3-Clause BSD": "BSD-3-Clause",
        "New BSD": "BSD-3-Clause",
        "Modified BSD": "BSD-3-Clause",
        "Revised BSD": "BSD-3-Clause",
        "Boost Software 1.0": "BSL-1.0",
        "CC0": "CC0-1.0",
        "Creative Commons Zero v1.0 Universal": "CC0-1.0",
        "Eclipse Public 1.0": "EPL-1.0",
        "Eclipse Public 2.0": "EPL-2.0",
        "GPL-2.0": "GPL-2.0-only",
        "GPL v2": "GPL-2.0-only",
        "GPL-2.0+": "GPL-2.0-or-later",
        "GPL v2+": "GPL-2.0-or-later",
        "GNU General Public v2": "GPL-2.0-only",
        "GNU General Public v2.0": "GPL-2.0-only",
        "GPL-3.0": "GPL-3.0-only",
        "GPL v3": "GPL-3.0-only",
        "GPL-3.0+": "GPL-3.0-or-later",
        "GPL v3+": "GPL-3.0-or-later",
        "GNU General Public v3": "GPL-3.0-only",
        "GNU General Public v3.0": "GPL-3.0-only",
        "LGPL-2.0": "LGPL-2.0-only",
        "LGPL-2.1": "LGPL-2.1-only",
        "LGPL v2.1": "LGPL-2.1-only",
        "LGPL-2.1+": "LGPL-2.1-or-later",
        "GNU Lesser General Public v2.1": "LGPL-2.1-only",
        "LGPL-3.0": "LGPL-3.0-only",
        "LGPL v3": "LGPL-3.0-only",
        "LGPL-3.0+": "LGPL-3.0-or-later",
        "GNU Lesser General Public v3": "LGPL-3.0-only",
        "GNU Lesser General Public v3.0": "LGPL-3.0-only",
        "Historical Permission Notice and Disclaimer": "HPND",
        "ISCL": "ISC",
        "ISC (ISCL)": "ISC",
        "Expat": "MIT",
        "MIT No Attribution": "MIT-0",
        "Mozilla Public 2.0": "MPL-2.0",
        "MPL 2": "MPL-2.0",
        "Python Software Foundation 2.0": "PSF-2.0",
        "Universal Permissive v1.0": "UPL-1.0",
    }
)
_NOISE = re.compile(r"\b(?:the|licen[cs]e|version)\b|[^a-z0-9.+]+")
_LONGEST_NAME = 200


def _folded(name: str) -> str:
    return _NOISE.sub("", name.lower())


_SPDX: Mapping[str, str] = MappingProxyType(
    {_folded(name): spdx for name, spdx in _OTHER_NAMES.items()}
    | {_folded(name): name for name in _IDENTIFIERS}
)


def spdx_identifier(name: str) -> str:
    """SPDX identifier of a licence; empty if the name is unknown or says nothing."""
    return _SPDX.get(_folded(name), "") if len(name) <= _LONGEST_NAME else ""
