"""Plans from pilot data: three answers side by side, and which of them to believe."""
