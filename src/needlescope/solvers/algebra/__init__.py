"""The problem that the solvers share: products with its features, Cholesky factors, coordinates."""
