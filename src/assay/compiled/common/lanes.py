# Problem   sums over arrays at memory speed, in one shape that is written here and not chosen by the compiler.
# Given     terms, a function of numbers that says what is added up; when called, arrays of one length and numbers.
# Writes    those of the arrays that `writes` names, in the same turn in which they are read.
# Returns   a function for compiled loops, which returns one sum, or a tuple of as many as there are.
# Source    An array is read in turns of LANES numbers side by side. Each lane has a sum of its own, in the order of
#           the turns; in the last turn the lanes that have nothing left add zero. At the end the upper half of
#           the lanes is added to the lower half, until one is left. Every product and sum is rounded by itself. So
#           the bits depend on the numbers alone: not on where the arrays lie, nor on the processor.
import inspect

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

LANES = 8
_I32, _I64 = ir.IntType(32), ir.IntType(64)


class Lanes:
    """Numbers side by side, one in each lane; arithmetic on them is written down as code to be compiled."""

    def __init__(self, builder, value):
        self.builder, self.value = builder, value

    def _with(self, other, operation):
        if not isinstance(other, Lanes):
            other = Lanes(self.builder, _everywhere(self.value.type, other))
        return Lanes(self.builder, operation(self.value, other.value))

    def __add__(self, other):
        return self._with(other, self.builder.fadd)

    __radd__ = __add__  # neither order of two numbers changes their sum or product

    def __sub__(self, other):
        return self._with(other, self.builder.fsub)

    def __rsub__(self, other):
        return self._with(other, lambda a, b: self.builder.fsub(b, a))

    def __mul__(self, other):
        return self._with(other, self.builder.fmul)

    __rmul__ = __mul__

    def __abs__(self):
        return Lanes(self.builder, _intrinsic(self.builder, "llvm.fabs", self.value))

    def __gt__(self, other):
        return self._with(other, lambda a, b: self.builder.fcmp_ordered(">", a, b))

    def __ge__(self, other):
        return self._with(other, lambda a, b: self.builder.fcmp_ordered(">=", a, b))

    def __le__(self, other):
        return self._with(other, lambda a, b: self.builder.fcmp_ordered("<=", a, b))

    def __and__(self, other):
        return Lanes(self.builder, self.builder.and_(self.value, other.value))


def _everywhere(kind, number):
    number = float(number)
    return ir.Constant(kind, [number] * kind.count if isinstance(kind, ir.VectorType) else number)


def where(condition, then, otherwise):
    """Lane by lane one number or the other; one of the two may be the same number in all lanes."""
    builder = condition.builder
    kind = (then if isinstance(then, Lanes) else otherwise).value.type
    both = [
        each.value if isinstance(each, Lanes) else _everywhere(kind, each)
        for each in (then, otherwise)
    ]
    return Lanes(builder, builder.select(condition.value, *both))


def power_of_two(shifted, bias):
    """2 to a whole number, which stands in the lowest bits of a double; `bias` is that of its exponent."""
    builder, kind = shifted.builder, shifted.value.type
    many = isinstance(kind, ir.VectorType)
    whole = ir.VectorType(_I64, kind.count) if many else _I64

    def same(number):
        return ir.Constant(whole, [number] * kind.count if many else number)

    bits = builder.add(builder.bitcast(shifted.value, whole), same(bias))
    return Lanes(builder, builder.bitcast(builder.shl(bits, same(52)), kind))


def one_by_one(expression):
    """The same expression as a function of single doubles, to the same bits."""
    names = list(inspect.signature(expression).parameters)

    def code(context, builder, signature, args):
        return expression(*(Lanes(builder, arg) for arg in args)).value

    def single(typing, *given):
        return types.float64(*(types.float64,) * len(given)), code

    return _as_intrinsic(single, expression, names)


def over_lanes(terms, sums=1, writes=(), wide=False, product=False):
    """Compile what is added up into a function of arrays and numbers.

    `terms` returns as many numbers as there are sums, and after them one for each place of `writes`, which
    is then written into that array. Sums are in single precision where all arrays are, unless `wide`.
    With `product` the numbers are multiplied.
    """
    names = list(inspect.signature(terms).parameters)

    def code(context, builder, signature, args):
        return _Fold(context, builder, signature, args, sums, writes, product).code(terms)

    def folded(typing, *given):
        single = not wide and all(_is_single(kind) for kind in given if _is_array(kind))
        number = types.float32 if single else types.float64
        if not any(_is_array(kind) for kind in given):
            return None
        returned = number if sums == 1 else types.UniTuple(number, sums)
        return returned(*(kind if _is_array(kind) else number for kind in given)), code

    return _as_intrinsic(folded, terms, names)


def rows_over_lanes(terms, product=False):
    """Compile the same sum, in double precision, of row r of X and each of the rows start to stop of T.

    The function is one of X, r, T, start, stop, out, i and j; it writes out[i, j, 0] and on. No row is cut
    out of its matrix, which costs more than the sum of a short one does.
    """
    names = ["X", "r", "T", "start", "stop", "out", "i", "j"]

    def code(context, builder, signature, args):
        X, r, T, start, stop, out, i, j = args
        kinds = [signature.args[k] for k in (0, 2, 5)]
        X, T, out = (
            context.make_array(kind)(context, builder, array)
            for kind, array in zip(kinds, (X, T, out), strict=True)
        )
        rows = [
            types.Array(kind.dtype, 1, "C" if kind.layout == "C" else "A") for kind in kinds[:2]
        ]
        pair = types.float64(*rows)
        x = _Row(builder, X, [r])
        with cgutils.for_range_slice(builder, start, stop, start.type(1)) as (q, _):
            fold = _Fold(context, builder, pair, None, 1, (), product, [x, _Row(builder, T, [q])])
            place = _Row(builder, out, [i, j]).pointer(builder.sub(q, start))
            builder.store(fold.code(terms), place)
        return context.get_dummy_value()

    def folded(typing, X, r, T, start, stop, out, i, j):
        whole = types.intp
        return types.void(X, whole, T, whole, whole, out, whole, whole), code

    return _as_intrinsic(folded, terms, names)


class _Row:
    """One row of an array, with the names that an array of one dimension has."""

    def __init__(self, builder, array, places):
        self.builder = builder
        strides = cgutils.unpack_tuple(builder, array.strides)
        address = builder.ptrtoint(array.data, strides[0].type)
        for place, stride in zip(places, strides, strict=False):
            address = builder.add(address, builder.mul(place, stride))
        self.data = builder.inttoptr(address, array.data.type)
        self.shape = cgutils.pack_array(
            builder, cgutils.unpack_tuple(builder, array.shape)[len(places) :]
        )
        self.strides = cgutils.pack_array(builder, strides[len(places) :])

    def pointer(self, place):
        builder = self.builder
        (stride,) = cgutils.unpack_tuple(builder, self.strides)
        address = builder.ptrtoint(self.data, stride.type)
        return builder.inttoptr(builder.add(address, builder.mul(place, stride)), self.data.type)


def _as_intrinsic(typed, source, names):
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    typed.__signature__ = inspect.Signature(
        [inspect.Parameter(name, kind) for name in ["typing", *names]]
    )
    typed.__name__ = typed.__qualname__ = source.__name__
    return intrinsic(typed)


def _is_array(kind):
    return isinstance(kind, types.Array) and kind.ndim == 1


def _is_single(kind):
    return kind.dtype == types.float32


class _Fold:
    """The code of one sum over lanes."""

    def __init__(self, context, builder, signature, args, sums, writes, product, given=None):
        self.context, self.builder, self.signature = context, builder, signature
        self.sums, self.writes, self.product = sums, writes, product
        returned = signature.return_type
        self.number = returned if sums == 1 else returned.dtype
        self.count = LANES if self.number == types.float64 else 2 * LANES
        self.real = context.get_value_type(self.number)
        self.vector = ir.VectorType(self.real, self.count)
        self.given = given or [
            context.make_array(kind)(context, builder, arg)
            if _is_array(kind)
            else self._spread(arg)
            for kind, arg in zip(signature.args, args, strict=True)
        ]

    def code(self, terms):
        builder = self.builder
        first = next(
            a for a, kind in zip(self.given, self.signature.args, strict=True) if _is_array(kind)
        )
        n = cgutils.unpack_tuple(builder, first.shape)[0]
        self.size = n.type
        start = ir.Constant(self.vector, [float(self.product)] * self.count)
        self.totals = [cgutils.alloca_once_value(builder, start) for _ in range(self.sums)]
        turns = builder.udiv(n, self._whole(self.count))
        with cgutils.for_range(builder, turns) as loop:
            self._turn(terms, builder.mul(loop.index, self._whole(self.count)), None)
        done = builder.mul(turns, self._whole(self.count))
        left = builder.sub(n, done)
        with builder.if_then(builder.icmp_unsigned("!=", left, self._whole(0))):
            self._turn(terms, done, left)
        out = [self._folded(builder.load(total)) for total in self.totals]
        if self.sums == 1:
            return out[0]
        return self.context.make_tuple(builder, self.signature.return_type, out)

    def _turn(self, terms, at, left):
        """Read the arrays from place `at` on, add to the sums, write; with `left` only so many lanes."""
        builder = self.builder
        mask = None if left is None else self._mask(left)
        read = [
            self._load(array, kind, at, left, mask) if _is_array(kind) else array
            for array, kind in zip(self.given, self.signature.args, strict=True)
        ]
        out = terms(*(Lanes(builder, value) for value in read))
        out = [each.value for each in (out if isinstance(out, tuple) else (out,))]
        for total, value in zip(self.totals, out, strict=False):
            if mask is not None:
                value = builder.select(mask, value, self._constant(float(self.product)))
            add = builder.fmul if self.product else builder.fadd
            builder.store(add(builder.load(total), value), total)
        for place, value in zip(self.writes, out[self.sums :], strict=True):
            self._store(self.given[place], at, mask, value)

    def _load(self, array, kind, at, left, mask):
        builder = self.builder
        held = self.context.get_data_type(kind.dtype)
        lanes = ir.VectorType(held, self.count)
        bytes_each = self.context.get_abi_sizeof(held)
        if kind.layout != "C":
            value = self._gathered(array, held, lanes, at, left)
        elif mask is None:
            value = builder.load(self._at(array, at, lanes), align=bytes_each)
        else:
            zeros = ir.Constant(lanes, None)
            pointer = self._at(array, at, lanes)
            value = self._masked("load", lanes, lanes, [pointer, bytes_each, mask, zeros])
        return self._as_number(value, kind.dtype, held)

    def _gathered(self, array, held, lanes, at, left):
        """An array with gaps, a number at a time; lanes with nothing left read the first one."""
        builder, value = self.builder, ir.Constant(lanes, None)
        stride = cgutils.unpack_tuple(builder, array.strides)[0]
        base = builder.ptrtoint(array.data, self.size)
        for k in range(self.count):
            place = builder.add(at, self._whole(k))
            if left is not None:
                inside = builder.icmp_unsigned("<", self._whole(k), left)
                place = builder.select(inside, place, at)
            address = builder.add(base, builder.mul(place, stride))
            one = builder.load(builder.inttoptr(address, held.as_pointer()))
            value = builder.insert_element(value, one, ir.Constant(_I32, k))
        return value

    def _as_number(self, value, dtype, held):
        builder = self.builder
        if held == self.real:
            return value
        if isinstance(dtype, types.Float):
            return builder.fpext(value, self.vector)
        if isinstance(dtype, types.Integer) and dtype.signed:
            return builder.sitofp(value, self.vector)
        return builder.uitofp(value, self.vector)

    def _store(self, array, at, mask, value):
        bytes_each = self.context.get_abi_sizeof(self.real)
        pointer = self._at(array, at, self.vector)
        if mask is None:
            self.builder.store(value, pointer, align=bytes_each)
        else:
            self._masked("store", ir.VoidType(), self.vector, [value, pointer, bytes_each, mask])

    def _masked(self, what, returned, lanes, args):
        name = f"llvm.masked.{what}.v{self.count}{_letter(lanes.element)}.p0"
        args = [ir.Constant(_I32, arg) if isinstance(arg, int) else arg for arg in args]
        kind = ir.FunctionType(returned, [arg.type for arg in args])
        return self.builder.call(
            cgutils.get_or_insert_function(self.builder.module, kind, name), args
        )

    def _mask(self, left):
        numbers = ir.VectorType(_I32, self.count)
        lanes = ir.Constant(numbers, list(range(self.count)))
        left = self._spread(self.builder.trunc(left, _I32))
        return self.builder.icmp_signed("<", lanes, left)

    def _folded(self, lanes):
        builder, count = self.builder, self.count
        add = builder.fmul if self.product else builder.fadd
        while count > 2:
            count //= 2
            low, high = (
                builder.shuffle_vector(
                    lanes,
                    lanes,
                    ir.Constant(ir.VectorType(_I32, count), list(range(first, first + count))),
                )
                for first in (0, count)
            )
            lanes = add(low, high)
        ends = [builder.extract_element(lanes, ir.Constant(_I32, k)) for k in range(2)]
        return add(*ends)

    def _at(self, array, place, lanes):
        return self.builder.bitcast(self.builder.gep(array.data, [place]), lanes.as_pointer())

    def _spread(self, number):
        vector = ir.VectorType(number.type, self.count)
        one = self.builder.insert_element(
            ir.Constant(vector, ir.Undefined), number, ir.Constant(_I32, 0)
        )
        first = ir.Constant(ir.VectorType(_I32, self.count), [0] * self.count)
        return self.builder.shuffle_vector(one, one, first)

    def _constant(self, number):
        return ir.Constant(self.vector, [number] * self.count)

    def _whole(self, number):
        return ir.Constant(self.size, number)


def _letter(element):
    if isinstance(element, ir.IntType):
        return f"i{element.width}"
    return "f64" if isinstance(element, ir.DoubleType) else "f32"


def _intrinsic(builder, name, value):
    kind = ir.FunctionType(value.type, [value.type])
    full = f"{name}.v{value.type.count}{_letter(value.type.element)}"
    return builder.call(cgutils.get_or_insert_function(builder.module, kind, full), [value])


# The sums that several loops need.
lane_dot = over_lanes(lambda x, w: x * w)
lane_wide_dot = over_lanes(lambda x, w: x * w, wide=True)
lane_wide_square = over_lanes(lambda x: x * x, wide=True)
lane_sum = over_lanes(lambda x: x)
