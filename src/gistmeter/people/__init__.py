"""What people say of a run's items: kept, sampled for, estimated from, signed off.

    records       a label, a decision, and taking one back: one JSON line each
    ledger        `labels.jsonl` and `decisions.jsonl`: lines are added, never changed or removed
    item_keys     the digest of an item's texts, by which a new run of the same texts finds them
    designs       which items to ask people about, with known probabilities
    corrected     the mean that people would give, from their labels and the scores of all items
    statements    what can be said after so many labels
    validation    does a score agree with people: agreement, calibration, refitted weights
    beside        labels beside a run's rows, for `gistmeter validate`
    rating_sheet  a sample as a spreadsheet or a page for raters elsewhere, and reading it back
    signoff       the document that says what was decided, by whom, on what grounds

Labels belong to the opened folder, not to a run: the one above the run that has them, else the
folder that holds `runs`. No command deletes them.
"""
