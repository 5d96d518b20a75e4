"""Speech recognisers, and the benchmark that runs them: `benchmark` is the door to this folder."""
