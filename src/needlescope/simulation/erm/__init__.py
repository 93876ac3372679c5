"""Stage 4: exact minimisers of the ridge-regularised loss, and tests of separability."""
