"""What a trained classifier's error is."""
