"""What opens when a reader opens an item: a list of blocks that the page knows how to draw.

A block is a small JSON object: `text` (marked runs of words), `bars`, `facts`, `table`, `tree`,
`parallel`, `picture`, `audio`, `note`. Each family has a file here that makes blocks of the columns
and documents its metrics write; whatever no family claims is shown by `generic`, so that an item of
a metric nobody here knows opens as well.
"""

from gistmeter.report.html.drilldown.opening import Item, Opener

__all__ = ["Item", "Opener"]
