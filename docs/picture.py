"""Take the picture of a report that the README shows: `make picture`, which needs chromium.

The report is that of `assay fit` on Spambase, opened in a browser without a window.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from assay.report.html_report import save_report
from assay.tables.fit import fit_table
from assay.tables.story import story_of

ROOT = Path(__file__).parents[1]
PICTURE = ROOT / "docs" / "report.png"
WIDTH, HEIGHT = 1000, 1190


def main() -> None:
    """Fit, write the report, and take its picture."""
    browser = next(
        filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
    )
    if browser is None:
        sys.exit("A picture of the report takes chromium. Install it, and try again.")
    data = ROOT / "examples" / "data" / "spambase.parquet"
    learner = "random-forest-classifier"
    # The file is sorted by its target, which was done after the mails were collected.
    fitted = fit_table(data, "target", learner=learner, order="none")
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder, "report.html")
        save_report(story_of(fitted), page)
        options = [
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--hide-scrollbars",
            "--virtual-time-budget=5000",
        ]
        options += [f"--user-data-dir={folder}/profile", f"--window-size={WIDTH},{HEIGHT}"]
        command = [browser, *options, f"--screenshot={PICTURE}", page.as_uri()]
        subprocess.run(command, check=True, capture_output=True, timeout=120)
    print(f"{PICTURE.relative_to(ROOT)}: {PICTURE.stat().st_size // 1024} KB")


if __name__ == "__main__":
    main()
