"""``python -m assay``: the command line where the command itself is not on the path."""

from assay.cli.app import main

if __name__ == "__main__":
    main()
