"""What a script has an agent write and run: a report on the annual figures of a table."""

import csv
from collections import Counter

annual = Counter()
with open("revenue.csv") as table:
    for row in csv.DictReader(table):
        annual[int(row["year"])] += float(row["revenue"])
years = range(2014, 2021)
rows = [f"| {year} | {annual[year]:.1f} | {annual[year] - annual[year - 1]:+.1f} |" for year in years]
best = max(years, key=annual.get)
lines = [
    "# Annual revenue, 2014 to 2020", "", "| year | revenue | change |", "|---|---|---|", *rows, "",
    f"Total: {sum(annual[year] for year in years):.1f}. The best year was {best}.",
]
text = "\n".join(lines) + "\n"
with open("report.md", "w") as report:
    report.write(text)
print(text)
