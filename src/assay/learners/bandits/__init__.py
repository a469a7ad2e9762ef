"""Policies that see the loss of the arm they play, and of no other."""
