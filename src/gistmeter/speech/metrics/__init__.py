"""The metrics of transcripts."""
