"""The certificate as a document."""
