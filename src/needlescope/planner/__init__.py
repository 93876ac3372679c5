"""The planner as the package offers it: above the classifiers that it plans for."""
