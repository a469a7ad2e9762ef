"""Learning from more rows than one machine holds, with the same model on any number of workers.

Functions are named as their modules are, so they are bound here at once: a name bound when first used would be the
module's if that was imported before.
"""

from assay.distributed.fit import fit as fit
from assay.distributed.predict import predict as predict

__all__ = ["fit", "predict"]
