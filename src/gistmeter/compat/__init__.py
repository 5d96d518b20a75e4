"""The calls of the systems that gistmeter implements, under their own names."""
