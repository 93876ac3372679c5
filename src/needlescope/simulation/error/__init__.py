"""What a trained classifier's error is, as an integral."""
