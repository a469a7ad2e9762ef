"""What was seen of predictions and truth: columns, labels, digests, tallies, losses."""
