"""Texts against references: the names that reading gives to what metrics look for."""

BETWEEN = " || "  # between several references or structure classes that are shown as one text

# Fields of a pair
STRUCTURE = "structure"  # its structure class, or several
RECOVERED = "recovered"  # the form that a system restored
CELL = "cell"  # the references as they stood in a table, where that differs
HAS_ORIGINAL = "has_original"  # "yes" where its system has the unscrambled forms too
