"""Errors and AUC that the theory expects of the classifiers of `estimators`, with their defaults.

Their training is a protocol with a query of one balanced step (`protocol`); its errors
(`classifier_errors`) and its AUC (`ranking`) are those of the limit of large d; at finite d trained
classifiers are spread around it (`spread`).
"""
