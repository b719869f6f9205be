"""The analysis board: a web page, and the server behind it (``yote serve``).

Needs the extra ``web``: ``pip install yote-fast[web]``.
"""
