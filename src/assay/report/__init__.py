"""What was found, for people: text, tables and figures. Computes nothing."""
