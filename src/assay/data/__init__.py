"""How examples come in: tables on disk, read whole or in chunks of bounded memory."""
