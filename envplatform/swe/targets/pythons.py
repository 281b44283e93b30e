"""What runs and measures a suite on each version of Python, as exact pins."""

_NEWEST = (
    "coverage==7.17.5",
    "iniconfig==2.3.1",
    "packaging==26.4",
    "pluggy==1.7.0",
    "pygments==2.21.0",
    "pytest==9.2.0",
)
_OLDER = {
    "3.7": (
        "coverage==7.2.7",
        "exceptiongroup==1.3.2",
        "importlib-metadata==6.7.0",
        "iniconfig==2.0.0",
        "packaging==24.0",
        "pluggy==1.2.0",
        "pygments==2.17.2",
        "pytest==7.4.4",
        "tomli==2.0.1",
        "typing-extensions==4.7.1",
        "zipp==3.15.0",
    ),
    "3.8": (
        "coverage==7.6.1",
        "exceptiongroup==1.3.2",
        "iniconfig==2.1.0",
        "packaging==26.2",
        "pluggy==1.5.0",
        "pygments==2.19.2",
        "pytest==8.3.5",
        "tomli==2.5.0",
        "typing-extensions==4.13.2",
    ),
    "3.9": (
        "coverage==7.10.7",
        "exceptiongroup==1.3.2",
        "iniconfig==2.1.0",
        "packaging==26.3",
        "pluggy==1.6.0",
        "pygments==2.21.0",
        "pytest==8.4.2",
        "tomli==2.5.0",
        "typing-extensions==4.16.0",
    ),
    "3.10": (
        "coverage==7.16.2",
        "exceptiongroup==1.3.2",
        "iniconfig==2.3.1",
        "packaging==26.4",
        "pluggy==1.7.0",
        "pygments==2.21.0",
        "pytest==9.2.0",
        "tomli==2.5.0",
        "typing-extensions==4.16.0",
    ),
}
KNOWN = ("3.7", "3.8", "3.9", "3.10", "3.11", "3.12", "3.13")
"""Versions that suites were run on for real, oldest first."""


def default_requirements(python: str) -> tuple[str, ...]:
    """Return pins of pytest, coverage and what they need, for a minor version.

    Later versions than those that are known get the pins of the newest.
    """
    return _OLDER.get(python, _NEWEST)
