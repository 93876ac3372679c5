"""The command ``needlescope``: one thin module a command, loaded when it is asked for."""
