"""The file that starts the package where it was copied to, whatever lies around it.

Run as `python3 -I -S -B <folder>/start.py`: neither the current folder nor the
environment's variables can put another module in the place of one of ours, and no
package that is installed is looked for.
"""

from __future__ import annotations

NAME = "start.py"
SOURCE = b"""\
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from ws.entry import run

run(sys.argv[1:])
"""
COMMAND = """\
#!/bin/sh
exec python3 -I -S -B {start} "$@"
"""
