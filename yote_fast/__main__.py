"""``python -m yote_fast`` is the command ``yote``."""

from .cli import main

main()
