"""From a record, or evidence, and what was declared, to guarantees."""
