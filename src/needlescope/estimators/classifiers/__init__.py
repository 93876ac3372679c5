"""The classifiers of bags: parameters, fits and explanations, in the manner of scikit-learn."""
