"""Models: what may be asked of them, how they are found and loaded, and one file per back end."""
