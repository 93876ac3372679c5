"""Joint training of query and readout: the replica-symmetric equations, solved.

`fields` finds the minimum of one sample, `order` holds the unknowns, `samples` the points of the
integrals, `equations` maps the unknowns to what they imply, `solver` finds where they agree, and
`prediction` returns the numbers that users see; `continuation` says where a point of a grid starts.
"""
