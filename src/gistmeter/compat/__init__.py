"""The seeds' own signatures: thin faces over the one door, for code that was written for them."""
