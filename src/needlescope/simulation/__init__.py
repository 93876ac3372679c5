"""The same question answered by brute force at finite dimension; written without the theory."""
