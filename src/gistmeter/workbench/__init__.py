"""The workbench: a page on one's own machine where people drop files, run, review and sign off.

It is one more caller of `score`, `Run` and the report: a page computes nothing of its own, and
shows the command and the Python lines that do the same. Dropped files are kept in `dropped/` of the
opened folder and runs in `runs/`; the queue is among the user's own files.
"""
