# Problem   call one loop from another by its address, so that the compiler sees nothing of it: a loop that is called
#           by name is taken into the caller, and compiled once more with it, at every level; and a branch that few
#           ever take would be compiled for all.
# Given     the signature of the loop, which its caller must keep to, or what the loop returns alone, where the types of
#           its arguments are those that the caller has; `address_of` compiles it, or loads it.
# Returns   opaque: what to write for the call, f(address, *arguments).  address_of: a whole number, good for as long as
#           the process lives, which a caller is handed as an argument: so it may itself be kept compiled.
# Source    -
from functools import cache
from typing import Any

from numba import types
from numba.core import cgutils, typing
from numba.extending import intrinsic

#: Stands for a loop that will not be called.
NOWHERE = 0


def opaque(signature: typing.Signature | types.Type) -> Any:
    fixed = isinstance(signature, typing.Signature)

    @intrinsic
    def call(context: Any, address: Any, *arguments: Any) -> Any:
        gives = signature.return_type if fixed else signature
        takes = signature.args if fixed else tuple(types.unliteral(one) for one in arguments)

        def build(context: Any, builder: Any, _: Any, values: Any) -> Any:
            kind = context.call_conv.get_function_type(gives, takes).as_pointer()
            place = builder.inttoptr(values[0], kind)
            handed = cgutils.unpack_tuple(builder, values[1], len(takes))
            status, result = context.call_conv.call_function(builder, place, gives, takes, handed)
            with builder.if_then(status.is_error, likely=False):
                context.call_conv.return_status_propagate(builder, status)
            return result

        return gives(types.int64, types.Tuple(takes)), build

    return call


@cache
def address_of(function: Any, signature: typing.Signature) -> int:
    function.compile(signature.args)
    version = function.overloads[signature.args]
    assert version.signature.return_type == signature.return_type, version.signature
    return int(version.library.get_pointer_to_function(version.fndesc.llvm_func_name))
