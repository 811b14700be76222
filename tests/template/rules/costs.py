"""docs/cost.md: its sums are right, and what it counts is as large as it says."""

import json
import re

import sources
from stack import of_type

# USD for a million, as docs/cost.md states them.
WRITE, READ = 0.625, 0.125
# USD a month.
ALARM, METRIC = 0.10, 0.30


def _bytes(value):
    """An attribute's size (https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html); texts at full length."""
    ((kind, content),) = value.items()
    if kind == "N":
        return (len(content) + 1) // 2 + 1
    if kind in ("S", "B"):
        return len(content.encode())
    raise ValueError(f"an attribute of type {kind}")


def sums(template):
    """Each row's price follows from its units; items stay below a unit; alarms and metrics are as many as it says."""
    said = []
    page = (sources.ROOT / "docs/cost.md").read_text()
    for price in (f"{WRITE} USD for a million write", f"{READ} USD for a million read"):
        if price not in page:
            said.append(f"docs/cost.md does not state {price}")
    rows = re.findall(r"^\| ([^|]+) \| ([\d.]+) \| ([\d.]+) \| ([\d.]+) \|$", page, re.M)
    if len(rows) < 10:
        said.append("docs/cost.md has no table of units")
    for kind, writes, reads, usd in rows:
        right = float(writes) * WRITE + float(reads) * READ
        if abs(right - float(usd)) > 0.0051:
            said.append(f"docs/cost.md: {kind} is {right:.2f}, not {usd}")
    for path in sorted((sources.ROOT / "shared/dynamodb/golden").glob("*.json")):
        for name, item in json.loads(path.read_text()).items():
            size = sum(len(attribute) + _bytes(value) for attribute, value in item.items())
            if size > 1024:
                said.append(f"docs/cost.md counts one unit for an item that has {size} bytes: {path.name}, {name}")
    alarms = of_type(template["Resources"], "AWS::CloudWatch::Alarm").values()
    watched = sum(len([m for m in alarm.get("Metrics", []) if "MetricStat" in m]) or 1 for alarm in alarms)
    for line in (
        f"| alarms | {watched * ALARM:.2f} | month: {watched} metrics are watched, at {ALARM:.2f} each",
        f"| metrics | {METRIC:.2f} | month and metric that has data in every hour: {len(sources.metrics())} names",
    ):
        if line not in page:
            said.append(f"docs/cost.md should say {line!r}")
    return said
