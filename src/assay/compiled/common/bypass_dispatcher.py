# Problem   call a compiled loop without the dispatcher, which looks up the types of all arguments each time.
# Given     a compiled function that has been called with arguments of the types it will be called with.
# Returns   the machine code of its first version, as a function; it looks at no types, so its caller must.
# Source    numba keeps it with every version it has compiled or loaded; where it does not, the dispatcher is
#           returned, which does the same in more time.
from typing import Any


def bypass_dispatcher(function: Any) -> Any:
    versions = list(function.overloads.values())
    return getattr(versions[0], "entry_point", function) if len(versions) == 1 else function
