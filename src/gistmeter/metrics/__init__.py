"""What several shapes of data share: `gist`, the alarms, and how both are shown."""
