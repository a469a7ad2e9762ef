"""Searches behind promises: the widest margin, the nearest point, the best comparator in hindsight."""

import lazy_loader as lazy

__getattr__, __dir__, __all__ = lazy.attach_stub(__name__, __file__)
