"""What the model of Open Interpreter has it run: the annual figures of a table, drawn."""

import csv
from collections import Counter

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

annual = Counter()
with open("revenue.csv") as table:
    for row in csv.DictReader(table):
        annual[int(row["year"])] += float(row["revenue"])
years = range(2014, 2021)
figure, axes = plt.subplots()
axes.bar(years, [annual[year] for year in years])
axes.set_title("Annual revenue, 2014 to 2020")
figure.savefig("revenue.png")
