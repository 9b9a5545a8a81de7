#!/usr/bin/env python3
"""The statistics of bench fastpath on samples that are made up: nothing is measured here."""
import random
import unittest

import paired


def made_up(factor, noise, blocks=30, rounds=5, drift=0.0, seed=7):
    """Samples of a reference, of another instance of it, and of something that takes FACTOR times as long; the machine's
    mood changes from round to round, and each process has its own luck for a whole block."""
    chance = random.Random(seed)
    subjects = ([], [], [])
    for _ in range(blocks):
        luck = [chance.gauss(1, noise) for _ in subjects]
        samples = ([], [], [])
        for _ in range(rounds):
            mood = 100 * (1 + drift * chance.random())
            for i, true_factor in enumerate((1, 1, factor)):
                samples[i].append(mood * true_factor * luck[i] * chance.gauss(1, noise))
        for subject, block in zip(subjects, samples):
            subject.append(block)
    return subjects


def judged(samples):
    reference, again, subject = samples
    noise = paired.estimate(paired.ratios(again, reference))
    of = paired.estimate(paired.ratios(subject, reference))
    return of, noise, paired.verdict(of, noise)


class Paired(unittest.TestCase):
    def test_finds_a_difference_larger_than_the_noise(self):
        of, noise, text = judged(made_up(1.05, noise=0.004))
        self.assertTrue(of.low < 1.05 < of.high)
        self.assertTrue(paired.differs(of, noise))
        self.assertRegex(text, r"^1\.0[45]\d \(1\.\d+-1\.\d+\)$")

    def test_a_mood_shared_by_all_subjects_cancels_out(self):
        of, _, _ = judged(made_up(1.05, noise=0.004, drift=3))
        self.assertTrue(of.low < 1.05 < of.high)
        self.assertLess(of.high - of.low, 0.02)

    def test_equal_things_are_called_equal_with_a_bound(self):
        _, _, text = judged(made_up(1, noise=0.004))
        self.assertRegex(text, r"^= \(within [01]\.\d %\)$")

    def test_says_too_noisy_instead_of_a_number(self):
        _, _, text = judged(made_up(1.01, noise=0.15))
        self.assertTrue(text.startswith("too noisy ("), text)
        self.assertNotIn("1.0", text)

    def test_less_is_a_difference_too(self):
        _, _, text = judged(made_up(0.8, noise=0.004))
        self.assertTrue(text.startswith("0."), text)

    def test_luck_of_processes_widens_the_interval(self):
        # As many samples, but of few processes: their number decides, not that of the rounds.
        few = judged(made_up(1.0, noise=0.02, blocks=6, rounds=50))[0]
        many = judged(made_up(1.0, noise=0.02, blocks=300, rounds=1))[0]
        self.assertGreater(few.high - few.low, 2 * (many.high - many.low))

    def test_the_interval_covers_the_truth_about_as_often_as_it_says(self):
        covered = 0
        for seed in range(40):
            of, _, _ = judged(made_up(1.02, noise=0.02, blocks=15, rounds=3, seed=seed))
            covered += of.low <= 1.02 <= of.high
        self.assertGreaterEqual(covered, 32)

    def test_failed_samples_leave_out_their_round(self):
        self.assertEqual(paired.ratios([[2, None, 3]], [[1, 1, 0]]), [[2]])
        self.assertEqual(paired.ratios([[None]], [[1]]), [])
        self.assertIsNone(paired.estimate([]))
        self.assertEqual(paired.verdict(None, None), "-")

    def test_one_block_is_drawn_from_round_by_round(self):
        of = paired.estimate([[1.0, 1.1, 1.2, 1.3, 1.4]])
        self.assertEqual(of.ratio, 1.2)
        self.assertTrue(of.low < 1.2 < of.high)


if __name__ == "__main__":
    unittest.main()
