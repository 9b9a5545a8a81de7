#!/usr/bin/env python3
"""bench start on samples that are made up: nothing is measured here."""
import pathlib
import tempfile
import types
import unittest

import start
from launchers import LAUNCHERS, Launcher, Place

NONE, BWRAP, AGAIN, CTR = (next(one for one in LAUNCHERS if one.title == title)
                           for title in ("none: the command itself", "bwrap", "bwrap again", "ctr, flat"))


class Commands(unittest.TestCase):
    def place(self):
        return Place(pathlib.Path("/somewhere/ctr"), pathlib.Path("/bundle"), pathlib.Path("/root"))

    def test_a_launchers_words_come_before_the_command(self):
        self.assertEqual(self.place().command(CTR, ["true"]), ["/somewhere/ctr", "run", "--pidns=flat", "--", "true"])
        self.assertEqual(self.place().command(NONE, ["true"]), ["true"])

    def test_each_container_has_a_name_of_its_own(self):
        place, named = self.place(), Launcher("x", ("x", "{name}"))
        self.assertNotEqual(place.command(named, []), place.command(named, []))

    def test_what_is_not_installed_or_fails_is_left_out_with_the_reason(self):
        self.assertEqual(start.why_not(Launcher("x", ("no-such",), "no-such"), self.place()), "it isn't installed")
        failing = Launcher("x", ("sh", "-c", "echo why >&2; exit 3", "-"), "sh")
        self.assertEqual(start.why_not(failing, self.place()), "it ends with 3: why")
        self.assertIsNone(start.why_not(NONE, self.place()))

    def test_a_command_that_fails_is_no_sample(self):
        with self.assertRaises(start.Failed):
            start.time_of([["false"], ["true"]])
        self.assertGreater(start.time_of([["true"]]), 0)


class Table(unittest.TestCase):
    def test_has_times_and_ratios_to_the_references(self):
        of = {NONE: 1, BWRAP: 4, AGAIN: 4.01, CTR: 2}
        samples = {(one, count): [[factor * count * mood for mood in (1, 1.5, 2)] for _ in range(4)]
                   for one, factor in of.items() for count in (1, 50)}
        text = start.table(list(of), samples, {CTR: 1500}, types.SimpleNamespace(parallel=50))
        rows = [row.strip("|").split("|") for row in text.splitlines()]
        cells = {row[0].strip(): [cell.strip() for cell in row[1:]] for row in rows}
        self.assertEqual(cells["bwrap"], ["6.00", "1", "300.00", "1", "-"])
        self.assertEqual(cells["ctr, flat"],
                         ["3.00", "0.500 (0.500-0.500)", "150.00", "0.500 (0.500-0.500)", "1500"])
        self.assertEqual(cells["bwrap again"][1], "1.002 (1.002-1.002)")
        self.assertEqual(len({len(row) for row in rows}), 1)


class Memory(unittest.TestCase):
    def test_is_that_of_those_who_wait_for_the_command(self):
        with tempfile.TemporaryDirectory() as directory:
            place = Place(pathlib.Path("/"), pathlib.Path(directory), pathlib.Path("/"))
            waiting = Launcher("x", ("sh", "-c", '"$@"; exit', "-"))
            self.assertGreater(start.memory_of(waiting, place), 0)
            self.assertIsNone(start.memory_of(NONE, place))


if __name__ == "__main__":
    unittest.main()
