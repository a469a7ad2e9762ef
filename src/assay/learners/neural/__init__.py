"""Networks of gates."""
