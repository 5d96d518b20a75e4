"""Tables of predictions and references."""
