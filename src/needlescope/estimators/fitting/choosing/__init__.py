"""Candidates ranked by held-out bags, and the choice judged by bags that it was not made by."""
