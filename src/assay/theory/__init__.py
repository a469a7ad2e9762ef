"""Every theorem as a pure function: numbers in, number out, rounded so that error only loosens it."""
