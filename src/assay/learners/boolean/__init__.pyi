from .concepts import build as build
from .concepts import needs_boolean as needs_boolean
from .dnf import cube as cube
from .dnf import terms_of as terms_of
from .sphere import sphere_net as sphere_net
