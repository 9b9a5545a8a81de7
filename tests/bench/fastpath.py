#!/usr/bin/env python3
"""What the pid layer costs with the fast path, measured in pairs; prints the tables of the README.

    ./dev bench fastpath --quick                          all tables, less exactly: under ten minutes
    ./dev bench fastpath                                  an hour or two, on a machine that does nothing else
    ./dev bench fastpath --tables depth --only spawn,thread
    ./dev bench fastpath --subjects host,again,flat

All subjects of a table run at the same time and are asked for samples in turns, in an order drawn anew for each round; what
is printed are medians of ratios to the first subject's sample of the same round, with 95 % intervals (paired.py). The second
column is the first subject once more: what isn't larger than the difference of these two isn't printed as a number.
Takes root (it binds copies of the C library over the original, in a mount namespace of its own).
"""
import argparse
import contextlib
import json
import os
import pathlib
import random
import sys
import tempfile
import time
from statistics import median

import paired
from instance import Failed, Instance
from subjects import OPERATIONS, SUBJECTS, TABLES
from world import World, machine

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Measurement:
    """One table: the running instances, and all samples by operation and column."""

    def __init__(self, table, columns, operations, world, options):
        self.table, self.world, self.options = table, world, options
        self.columns = columns  # names of subjects; the first is the reference
        self.operations = operations
        self.samples = {(name, i): [] for name in operations for i in range(len(columns))}
        self.counts = {}
        self.failures = {}
        self.chance = random.Random(options.seed)

    def run(self):
        with pinned(self.options.pinned and not self._whole()):
            self._run()

    def _run(self):
        blocks = self.options.blocks if not self._whole() else self.options.commands
        begun = time.monotonic()
        for block in range(blocks):
            self._block()
            print(f"\r{self.table.name}: {block + 1} of {blocks}, {time.monotonic() - begun:.0f} s ", end="",
                  file=sys.stderr, flush=True)
        print(file=sys.stderr)

    def _whole(self):
        return any(OPERATIONS[name].whole for name in self.operations)

    def _block(self):
        instances = {}
        try:
            for i in self.chance.sample(range(len(self.columns)), len(self.columns)):
                command = self.world.command(SUBJECTS[self.columns[i]], self.table.static)
                self._try(i, lambda: instances.__setitem__(i, Instance(command, self.options.mean)))
            for name in self.operations:
                self._operation(OPERATIONS[name], instances)
        finally:
            for instance in instances.values():
                instance.close()

    def _try(self, column, action):
        """None: the subject has failed, here or before; a failed one isn't asked again."""
        if column in self.failures:
            return None
        try:
            return action()
        except Failed as failure:
            self.failures[column] = str(failure)
            print(f"\n{self.table.name}, {self.columns[column]}: {failure}", file=sys.stderr)
            return None

    def _operation(self, operation, instances):
        lines = {i: self.world.line(operation.line, f"{self.table.name}-{i}", self.options.quick) for i in instances}
        for i, instance in instances.items():
            if operation.crowd:
                self._try(i, lambda: instance.sample("crowd", operation.crowd))
            self._try(i, lambda: self._calibrate(operation, i, instance, lines[i]))
        blocks = {i: [] for i in range(len(self.columns))}
        for _ in range(1 if operation.whole else self.options.rounds):
            for i in self.chance.sample(list(instances), len(instances)):
                count = self.counts.get((operation.name, i))
                sample = self._try(i, lambda: instances[i].sample(lines[i], count))
                blocks[i].append(sample)
        for i, block in blocks.items():
            self.samples[operation.name, i].append(block)

    def _calibrate(self, operation, column, instance, line):
        """Finds how many operations take as long as a sample should; later only warms up."""
        key = operation.name, column
        if operation.whole:
            self.counts[key] = 1
            return
        if key in self.counts:
            instance.sample(line, max(1, self.counts[key] // 4))
            return
        count, wanted = 1, self.options.milliseconds * 1000
        while True:
            begun = time.monotonic()
            instance.sample(line, count)
            took = (time.monotonic() - begun) * 1e6
            if took > wanted / 4:
                break
            count *= 4
        self.counts[key] = max(operation.least, int(count * wanted / took))

    def _column(self, name, part, column):
        return [[getattr(sample, part) if sample else None for sample in block]
                for block in self.samples[name, column]]

    def rows(self):
        for name in self.operations:
            for suffix, part in OPERATIONS[name].rows:
                reference = self._column(name, part, 0)
                absolute = [value for block in reference for value in block if value]
                estimates = [paired.estimate(paired.ratios(self._column(name, part, i), reference))
                             for i in range(1, len(self.columns))]
                yield name + suffix, median(absolute) if absolute else None, estimates

    def markdown(self):
        titles = [SUBJECTS[column].title for column in self.columns]
        titles[1] = f"{titles[0]} again"
        text = [f"**{self.table.title}**", "", f"| | {titles[0]}, us | " + " | ".join(titles[1:]) + " |",
                "|---" * (len(titles) + 1) + "|"]
        for name, absolute, (noise, *others) in self.rows():
            cells = [number(absolute), paired.noise_text(noise), *(paired.verdict(of, noise) for of in others)]
            text.append(f"| {name} | " + " | ".join(cells) + " |")
        text += [f"\n{self.columns[i]} failed: {why}" for i, why in self.failures.items()]
        return "\n".join(text) + "\n"


@contextlib.contextmanager
def pinned(wanted):
    """This process, and what it starts meanwhile."""
    if not wanted:
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(before)})
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    try:
        yield
    finally:
        os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
        os.sched_setaffinity(0, before)


def number(microseconds):
    if microseconds is None:
        return "-"
    if microseconds < 10:
        return f"{microseconds:.3g}"
    return f"{microseconds:.1f}" if microseconds < 1000 else f"{microseconds:,.0f}".replace(",", " ")


def parse(words):
    names = ", ".join(table.name for table in TABLES)
    parser = argparse.ArgumentParser(prog="./dev bench fastpath", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release", help="where ctr was built")
    parser.add_argument("--quick", action="store_true", help="less exactly")
    parser.add_argument("--tables", default="", help=f"of these: {names}")
    parser.add_argument("--only", default="", help="operations whose names contain one of these words")
    parser.add_argument("--subjects", default="", help="of these: " + ", ".join(SUBJECTS))
    parser.add_argument("--blocks", type=int, help="so often everything is started anew")
    parser.add_argument("--rounds", type=int, help="samples of each subject and operation in a block")
    parser.add_argument("--commands", type=int, help="how often whole commands run")
    parser.add_argument("--milliseconds", type=int, help="that a sample should take")
    parser.add_argument("--median", dest="mean", action="store_false",
                        help="of the operations within a sample instead of their mean: on a busy machine; "
                             "blind to what happens rarely")
    parser.add_argument("--pinned", action="store_true",
                        help="all but whole commands on one processor, ahead of all else (SCHED_FIFO): on a busy machine; "
                             "leaves out what it costs to wake another processor")
    parser.add_argument("--seed", type=int, default=1, help="of the order of the rounds")
    parser.add_argument("--samples", type=pathlib.Path, help="a file for all samples, as JSON")
    options = parser.parse_args(words)
    for name, quick, full in (("blocks", 10, 40), ("rounds", 3, 5), ("commands", 5, 20), ("milliseconds", 10, 30)):
        if getattr(options, name) is None:
            setattr(options, name, quick if options.quick else full)
    return options


def chosen(names, wanted):
    words = [word for word in wanted.split(",") if word]
    return [name for name in names if not words or any(word in name for word in words)]


def columns_of(table, wanted):
    """The reference and its second instance are always there."""
    names = [name for name in wanted.split(",") if name]
    return [*table.subjects[:2], *(name for name in table.subjects[2:] if not names or name in names)]


def main(words):
    options = parse(words)
    if os.geteuid() != 0:
        sys.exit("bench fastpath: takes root: it binds copies of the C library over the original")
    tables = [table for table in TABLES if not options.tables or table.name in options.tables.split(",")]
    kept = {}
    with tempfile.TemporaryDirectory(prefix="ctr-bench-") as directory:
        world = World(options.build, pathlib.Path(directory))
        placed = "ctr" if world.placed_by_ctr else "bind mounts of this benchmark"
        print(f"{machine()}; load {os.getloadavg()[0]:.1f}; instrumented copies placed by {placed}; "
              f"{'means' if options.mean else 'medians'} of samples of {options.milliseconds} ms, {options.blocks} blocks "
              f"of {options.rounds} rounds, {options.commands} of commands"
              f"{'; pinned to one processor' if options.pinned else ''}.\n", flush=True)
        for table in tables:
            operations = chosen(table.operations, options.only)
            for name in list(operations):
                if why := world.missing(OPERATIONS[name].line):
                    print(f"{name} is left out: {why}", file=sys.stderr)
                    operations.remove(name)
            if not operations:
                continue
            measurement = Measurement(table, columns_of(table, options.subjects), operations, world, options)
            measurement.run()
            print(measurement.markdown(), flush=True)
            kept[table.name] = {f"{name}: {measurement.columns[i]} {i}": blocks
                                for (name, i), blocks in measurement.samples.items()}
        print(f"Load at the end: {os.getloadavg()[0]:.1f}")
    if options.samples:
        options.samples.write_text(json.dumps(kept))


if __name__ == "__main__":
    main(sys.argv[1:])
