"""The store: one SQLite file with an append-only log of events, and snapshots to start from."""
