"""A goal with an answer that can be checked: the annual figures of a table, a plot of them, and a report."""

import csv
import shutil
from decimal import Decimal
from pathlib import Path

from install import ROOT
from outcome import expect

GOAL = "The annual revenue figures from 2014 to 2020 in revenue.csv: find them, plot them, write a report."
SOURCES = ROOT / "tests/agents/revenue"
TABLE = SOURCES / "revenue.csv"
YEARS = range(2014, 2021)
PNG = b"\x89PNG\r\n\x1a\n"
# An empty plot of matplotlib's default size has about 1,500 bytes.
SMALLEST_PLOT = 5_000


def hand_out(*folders: Path) -> None:
    """Puts the table where members work."""
    for folder in folders:
        folder.mkdir(exist_ok=True)
        shutil.copy(TABLE, folder)


def annual() -> dict[int, Decimal]:
    with TABLE.open() as table:
        rows = list(csv.DictReader(table))
    years = {int(row["year"]) for row in rows}
    return {year: sum(Decimal(row["revenue"]) for row in rows if int(row["year"]) == year) for year in years}


def figures() -> list[str]:
    """What a report has to hold: each year's figure and its change, and their total."""
    found = annual()
    each = [f"| {year} | {found[year]} | {found[year] - found[year - 1]:+} |" for year in YEARS]
    return [*each, f"Total: {sum(found[year] for year in YEARS)}"]


def reported(text: str) -> None:
    missing = [figure for figure in figures() if figure not in text]
    expect(not missing, f"the report lacks {missing}:\n{text}")


def plotted(plot: Path) -> int:
    """The size of the plot in bytes."""
    expect(plot.exists(), f"there is no {plot.name}")
    drawn = plot.read_bytes()
    expect(drawn.startswith(PNG) and len(drawn) > SMALLEST_PLOT, f"{plot.name} is no plot: {len(drawn)} bytes")
    return len(drawn)
