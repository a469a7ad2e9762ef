"""Decision trees."""
