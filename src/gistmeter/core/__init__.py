"""What every shape of data needs, and nothing of a single one."""
