"""`python -m gistmeter`."""

from gistmeter.cli import main

if __name__ == "__main__":
    main()
