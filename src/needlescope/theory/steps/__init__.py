"""A schedule of joint gradient steps, each on a fresh batch: the overlaps of (ξ, q, w) after it."""
