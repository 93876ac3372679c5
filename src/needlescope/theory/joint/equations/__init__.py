"""The replica-symmetric equations, and how far to trust them.

`fields` finds the minimum of one sample, `order` holds the unknowns, `samples` the points of the
integrals, `moments` maps the unknowns to what they imply, `error` is the test error and `stability`
that of replica symmetry.
"""
