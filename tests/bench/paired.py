"""Ratios of two things that were measured in turns, how sure they are, and whether they say anything.

A sample is taken of each subject in every round, so that whatever else the machine does meanwhile concerns all of them.
Rounds come in blocks, between which the subjects are started anew: where a process happens to lie in memory makes it
faster or slower for as long as it lives. So the interval is that of a bootstrap which draws whole blocks.

How much of a difference is the machine's own work shows the row of a subject against another instance of itself, here
called noise. A ratio that can't be told from it isn't printed as one.
"""
import random
from dataclasses import dataclass
from statistics import median

DRAWS = 1000
TOLERABLE = 0.03  # differences that can't be told from noise are said to be below a bound, if that isn't above this one


@dataclass(frozen=True)
class Estimate:
    ratio: float
    low: float   # the 95 % interval
    high: float


def ratios(blocks, reference):
    """Of each sample to the reference's of the same round. A failed sample, None, leaves out its round."""
    paired = ([s / r for s, r in zip(ours, theirs) if s is not None and r]
              for ours, theirs in zip(blocks, reference))
    return [block for block in paired if block]


def estimate(blocks, seed=1):
    """The median of blocks of ratios. None: there are none."""
    everything = [ratio for block in blocks for ratio in block]
    if not everything:
        return None
    if len(blocks) < 2:
        blocks = [[ratio] for ratio in everything]
    chance = random.Random(seed)
    drawn = sorted(median(ratio for block in chance.choices(blocks, k=len(blocks)) for ratio in block)
                   for _ in range(DRAWS))
    return Estimate(median(everything), drawn[int(0.025 * DRAWS)], drawn[int(0.975 * DRAWS) - 1])


def bound(of):
    """How far from 1 the truth may be."""
    return max(abs(of.low - 1), abs(of.high - 1))


def differs(of, noise):
    return of.low > max(1, noise.high) or of.high < min(1, noise.low)


def percent(share):
    return f"{share * 100:.1f} %"


def verdict(of, noise):
    """A ratio, with its interval; or that it is 1 as far as can be seen; or that nothing can be seen. Where the noise is
    as large as the difference the number isn't told."""
    if of is None or noise is None:
        return "-"
    if differs(of, noise):
        digits = 3 if of.ratio < 10 else 1
        return f"{of.ratio:.{digits}f} ({of.low:.{digits}f}-{of.high:.{digits}f})"
    unseen = max(bound(of), bound(noise))
    return f"= (within {percent(unseen)})" if unseen <= TOLERABLE else f"too noisy ({percent(unseen)})"


def noise_text(noise):
    """The cell of the second instance of the reference: how far apart equal things were."""
    return "-" if noise is None else f"{noise.ratio:.3f} ({noise.low:.3f}-{noise.high:.3f})"
