"""The explorer: turn the knobs, watch attention find the needle.

One front end (`assets/explorer.js`, an ES module in anywidget's form), three hosts: a notebook, a
server on loopback, and a file of precomputed grids. A host carries messages between the front end
and a `Session`, which computes; `protocol` says what messages there are.
"""
