"""The three classifiers: finite features and, beside them, their limit law."""
