"""What every look at a holdout has told."""
