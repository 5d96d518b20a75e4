"""`python -m gistmeter`, without the working folder on the import path.

Python puts the folder there before anything of ours runs, unless it is told not to (`python -P`, or
PYTHONSAFEPATH); then a `json.py` or a `*.dist-info` beside the data would be taken for installed.
"""

import os
import sys

if __name__ == "__main__" and not sys.flags.safe_path and sys.path[0] == os.getcwd():  # noqa: PTH109
    del sys.path[0]

from gistmeter.cli import run

if __name__ == "__main__":
    run()
