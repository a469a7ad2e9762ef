"""Policies that are told something of each round, and of its actions, before they choose."""
