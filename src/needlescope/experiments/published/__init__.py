"""One file for each figure: its grid and its checks."""
