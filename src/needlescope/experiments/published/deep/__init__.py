"""Fuller attention on the same task: experiments that need torch."""
