"""How one trial is trained: on tokens, or on their reduced law, by the stages or end to end."""
