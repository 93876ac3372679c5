"""Reading a task off bags."""
