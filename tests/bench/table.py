#!/usr/bin/env python3
"""What bench_numbering says (--benchmark_format=json, on standard input) as the table of the README.

Cells are nanoseconds, warm / cold (of a life: in all), the least of the repetitions, which others on the
machine have disturbed least.
"""
import json
import re
import sys

OPERATIONS = {
    "number_of": "host's number to own",
    "host_of": "own number to host's",
    "life": "allocate, publish, free",
}
ROW = re.compile(r"(flat|hash|list)/(number_of|host_of|life)(?:/(warm|cold))?/depth:(\d+)/live:(\d+)")


def nanoseconds(time):
    return f"{time:.1f}" if time < 9.95 else f"{time:,.0f}".replace(",", " ")


cells = {}
for run in json.load(sys.stdin)["benchmarks"]:
    match = ROW.match(run["name"])
    if match is None or run.get("aggregate_name") != "min" or run["threads"] != 1:
        continue
    model, operation, cache, depth, live = match.groups()
    place = cells.setdefault((OPERATIONS[operation], int(live), model), {}).setdefault(int(depth), {})
    place[cache] = nanoseconds(run["real_time"])

depths = sorted({depth for row in cells.values() for depth in row})
print("| ns | processes | model |" + "".join(f" depth {depth} |" for depth in depths))
print("|---|---|---|" + "---|" * len(depths))
order = list(OPERATIONS.values())
for operation, live, model in sorted(cells, key=lambda key: (order.index(key[0]), key[1:])):
    row = cells[operation, live, model]
    times = (" / ".join(row[depth][cache] for cache in ("warm", "cold", None) if cache in row[depth]) for depth in depths)
    print(f"| {operation} | {live} | {model} | " + " | ".join(times) + " |")
