"""Fuller attention on the same task, in torch: an extra, which nothing else imports."""
