"""The language model behind the semantic error rate: which one, and what it would cost."""
DEFAULT_MODEL = "gemini-3-pro-preview"
