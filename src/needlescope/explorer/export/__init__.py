"""The explorer as one file: a page that answers from precomputed grids, without Python.

`page` writes it. What moves on it and where its grids lie is in `axes`; how far it is from the
theory is measured in `measured`, and said on the page.
"""

from .single_file import page

__all__ = ["page"]
