"""What was found, for people: text, tables and figures. Computes nothing."""

import lazy_loader as lazy

__getattr__, __dir__, __all__ = lazy.attach(__name__, submodules=["figures"])
