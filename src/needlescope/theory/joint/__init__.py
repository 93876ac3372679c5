"""Joint training of query and readout: the replica-symmetric equations, solved.

`grid` answers `predict`, point by point; `prediction` has the numbers of one point.
"""
