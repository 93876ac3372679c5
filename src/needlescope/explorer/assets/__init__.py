"""The front end, built from `frontend`: an ES module and a style sheet."""
