# They need the tools themselves, which the tests do without: README.md of the fixtures says how they are run.
collect_ignore = ["writers"]
