"""What any learner could reach, and what training needs to keep up with it."""
