"""One file per case: each has `works(folder)`, which yields what is measured."""
