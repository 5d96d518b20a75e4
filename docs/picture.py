"""Make docs/images/report.png: the demo's report, as Chromium shows it.

python docs/picture.py [REPORT.html]     without a report the demo is run first
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
PICTURE = Path(__file__).parent / "images" / "report.png"
LARGEST = 200_000  # bytes
SECTION = "#run-4"  # Korean idioms: three systems


def take(report: Path) -> None:
    """Take the picture of one section, in light colours whatever the machine prefers."""
    program = next((found for name in NAMES if (found := shutil.which(name))), None)
    if not program:
        sys.exit("No Chromium here: install one (apt-get install chromium) and try again")
    flags = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"]
    flags += ["--disable-background-networking", "--force-color-profile=srgb"]
    size, wait = "--window-size=1180,1060", "--virtual-time-budget=4000"
    PICTURE.parent.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as home:
        place = [f"--user-data-dir={home}", f"--screenshot={PICTURE}"]
        page = report.resolve().as_uri() + SECTION
        command = [program, *flags, size, wait, *place, page]
        subprocess.run(command, check=True, capture_output=True, timeout=120)
    if PICTURE.stat().st_size > LARGEST:
        sys.exit(f"{PICTURE} has {PICTURE.stat().st_size:,} bytes, more than {LARGEST:,}")


def main() -> None:
    if len(sys.argv) > 1:
        take(Path(sys.argv[1]))
        return
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, "-m", "gistmeter", "demo", "-o", folder], check=True)
        take(Path(folder) / "report.html")


if __name__ == "__main__":
    main()
