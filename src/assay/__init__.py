"""assay: learning in which every model states its guarantee.

Names stand in ``__init__.pyi`` and are imported when first used, so that ``import assay`` costs next to nothing.
"""

import lazy_loader as lazy

__version__ = "0.1.0"

_named, __dir__, __all__ = lazy.attach_stub(__name__, __file__)


def __getattr__(name: str) -> object:
    from assay.extras import needed_for

    with needed_for(name):
        return _named(name)
