"""The explorer in a notebook: `ns.Explorer`, a widget whose problem Python reads and sets."""
