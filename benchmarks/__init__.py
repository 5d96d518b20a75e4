"""Benchmarks of speed against peers (`speed/`, one file per case) and of validity (the scripts)."""
