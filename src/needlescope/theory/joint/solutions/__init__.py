"""Where the equations hold: `branches` finds a solution and `solver` refines it.

`population` is where a branch starts, `continuation` goes from one point of a curve to the next,
`kinks` rounds those of a loss, and `rough` serves a search over ridges.
"""
