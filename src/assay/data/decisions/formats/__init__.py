"""One file for each tool that writes logs of decisions; each is found by its decorator."""
