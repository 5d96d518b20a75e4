"""Languages: what is a word, a sentence, a content word, a negation, in each of them."""
