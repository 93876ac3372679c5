"""One file for each figure of what any learner could reach."""
