"""The options that commands share: of a problem, of its noise, and of tables."""
