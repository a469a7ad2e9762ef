"""Certificates in words and as HTML."""
