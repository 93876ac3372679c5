"""Selection by cross-validation: folds, rounds of elimination, ranking, calibration."""
