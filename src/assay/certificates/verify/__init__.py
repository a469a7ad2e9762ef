"""Recomputing a certificate from the file alone."""
