"""What is possible when the signal is known."""
