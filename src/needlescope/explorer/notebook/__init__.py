"""The explorer in a notebook: `ns.Explorer`, a widget of which Python reads and sets the problem."""
