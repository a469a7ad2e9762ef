"""From what was seen to a certificate."""
