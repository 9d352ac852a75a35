"""`python -m hippo` is `hippo`."""

from hippo.cli import main

if __name__ == "__main__":
    main()
