"""What happened, nothing about what it means: tallies, losses, and digests of what was seen."""
