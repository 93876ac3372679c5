"""How work is done: processes, progress, seeds; not what work."""
