"""Files of transcripts and sound."""
