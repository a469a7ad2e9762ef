"""Gates in a test run: a test fails unless what is wanted of a model can be promised."""
