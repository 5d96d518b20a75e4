"""What is done with runs: one module per command, and the plug-ins of other tools."""
