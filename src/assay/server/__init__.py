"""The service: predict now, be told later, lose nothing."""
