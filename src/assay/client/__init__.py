"""A client of the service: asks, tells, and sends again what may be sent again.

It needs nothing but Python. A request that fails on the way is repeated; that is safe, since every prediction
carries its trial's name and the service answers a repetition with what it answered first.

The guide's page on the service shows it at work.
"""

from assay.client.blocking import Client
from assay.client.learner import Learner
from assay.client.refused import ServiceRefused
from assay.client.streams import AsyncClient, AsyncLearner

__all__ = ["AsyncClient", "AsyncLearner", "Client", "Learner", "ServiceRefused"]

for _public in (AsyncClient, AsyncLearner, Client, Learner, ServiceRefused):
    _public.__module__ = __name__  # where people import them from, and what a traceback names
