"""From a record and a theorem to a document that a third party can check."""
