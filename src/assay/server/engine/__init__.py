"""The engine: learners as a fold over the log of events, without a word about HTTP."""
