"""What candidates share: their base, what is compared, initial queries, readouts, refinement."""
