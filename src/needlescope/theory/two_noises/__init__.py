"""Signal tokens with a noise of their own: two covariances, which need not commute."""
