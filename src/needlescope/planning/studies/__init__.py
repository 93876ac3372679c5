"""Plans for a classifier that anybody can fit: simulated studies, a learning curve, and a search.

A study draws bags of a task, fits the classifier and measures it on fresh bags (`study`). The
measure is one of `measures`. A learning curve is fitted to all studies (`curve`), and the search
spends the next ones where they decide (`search`).
"""
