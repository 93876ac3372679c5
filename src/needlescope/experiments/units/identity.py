"""The identity of a custom loss, as plain data: its name, its parameters and a hash of its code.

The hash is over the compiled methods of the class, and of the classes it inherits from up to
needlescope's own, and over all they refer to, by value: constants, defaults, variables around them,
functions they call. Of an installed package, such as NumPy, the name is enough. Two losses with one
identity compute the same numbers; one that rests on what can change without a trace, such as a
random generator, has no identity and is refused.

Nothing of it can be turned back into a loss: a store holds no code.
"""

from __future__ import annotations

import dis
import functools
import hashlib
import sys
from collections.abc import Mapping
from functools import singledispatch
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any, TypeAlias

import numpy as np

from ...losses import Loss

Seen: TypeAlias = frozenset[int]  # what is being described already: this ends a circle

OURS = __name__.partition(".")[0]
INSTALLED = ("site-packages", "dist-packages")
IGNORED = ("__repr__", "__str__", "__eq__", "__hash__", "_abc_impl")
"""What a class has that plays no part in its numbers, beside its data with such names."""

LOOKED_UP = ("LOAD_GLOBAL", "LOAD_NAME")
FLAGS = 0xFFF  # flags that say what a function is, not under which rules it was written
MAX_KEPT = 100  # numbers of a parameter that are kept as they are; of more, a hash


def identity(loss: Loss) -> dict[str, Any]:
    """Return the identity of a loss as plain data, or refuse a loss that has none.

    Examples
    --------
    >>> import numpy as np
    >>> import needlescope as ns
    >>> class Steep(ns.Loss):
    ...     name = "steep"
    ...     def __init__(self, slope):
    ...         self.slope = slope
    ...     def value(self, z, y):
    ...         return np.logaddexp(0.0, -self.slope * y * z)
    ...     def derivative(self, z, y):
    ...         return -self.slope * y / (1.0 + np.exp(self.slope * y * z))
    ...     def second(self, z, y):
    ...         return 0.25 * self.slope**2 / np.cosh(0.5 * self.slope * z) ** 2
    >>> result = identity(Steep(0.5))
    >>> result["name"], result["parameters"], len(result["code"])
    ('steep', {'slope': 0.5}, 16)
    """
    own = {name: value for name, value in sorted(vars(loss).items()) if name != "name"}
    try:
        code = _described(type(loss), frozenset()) + _described(own, frozenset())
        parameters = {name: _readable(value) for name, value in own.items()}
    except (_Unknown, RecursionError) as problem:
        raise ValueError(
            f"the {loss.name} loss has no identity to keep results under: it rests on {problem}; "
            "let its methods use plain numbers, arrays and functions, imported by name"
        ) from None
    name = type(loss).__qualname__.rpartition(".")[2]
    return {"name": loss.name, "class": name, "parameters": parameters, "code": _short(code)}


class _Unknown(Exception):
    """Something without an identity."""


def _short(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _readable(value: Any) -> Any:
    """Return a parameter for people to read: itself if it is plain and not long, or its hash."""
    value = value.tolist() if isinstance(value, np.generic | np.ndarray) else value
    if isinstance(value, list | tuple) and len(value) <= MAX_KEPT:
        return [_readable(item) for item in value]
    if isinstance(value, str | int | float | None) and value == value:
        return value
    return _short(_described(value, frozenset()))


def _installed(module: str | None) -> bool:
    """Whether a module is Python's, a package's that was installed, or ours."""
    top = (module or "").partition(".")[0]
    path = getattr(sys.modules.get(top), "__file__", None) or ""
    known = top in (OURS, *sys.stdlib_module_names) and top != "__main__"
    return known or any(part in path for part in INSTALLED)


@singledispatch
def _described(value: Any, seen: Seen) -> str:
    """Return a text that differs wherever two values may compute differently."""
    raise _Unknown(f"{type(value).__name__} {value!r:.60}")


@_described.register(type(None))
@_described.register(str)
@_described.register(bytes)
@_described.register(int)
@_described.register(float)
@_described.register(complex)
def _(value: Any, seen: Seen) -> str:
    return f"{type(value).__name__} {value!r}"


@_described.register(np.generic)
@_described.register(np.ndarray)
def _(value: Any, seen: Seen) -> str:
    if value.dtype.hasobject:
        raise _Unknown("an array of objects")
    return f"{value.dtype.str}{value.shape} {np.ascontiguousarray(value).tobytes().hex()}"


@_described.register(list)
@_described.register(tuple)
def _(value: Any, seen: Seen) -> str:
    return f"{type(value).__name__} {[_described(item, seen) for item in value]}"


@_described.register(set)
@_described.register(frozenset)
def _(value: Any, seen: Seen) -> str:
    return f"set {sorted(_described(item, seen) for item in value)}"


@_described.register(Mapping)
def _(value: Any, seen: Seen) -> str:
    pairs = [(_described(key, seen), _described(item, seen)) for key, item in value.items()]
    return f"mapping {sorted(pairs)}"


@_described.register(ModuleType)
def _(value: ModuleType, seen: Seen) -> str:
    if not _installed(value.__name__):
        raise _Unknown(f"the module {value.__name__}, which may change unseen")
    return f"module {value.__name__}"


@_described.register(np.ufunc)
@_described.register(BuiltinFunctionType)
def _(value: Any, seen: Seen) -> str:
    return f"builtin {value.__name__}"


@_described.register(staticmethod)
@_described.register(classmethod)
@_described.register(functools.cached_property)
def _(value: Any, seen: Seen) -> str:
    inside = value.func if isinstance(value, functools.cached_property) else value.__func__
    return f"{type(value).__name__} {_described(inside, seen)}"


@_described.register(property)
def _(value: property, seen: Seen) -> str:
    return f"property {_described(value.fget, seen)}"


@_described.register(functools.partial)
def _(value: Any, seen: Seen) -> str:
    return f"partial {_described((value.func, value.args, value.keywords), seen)}"


@_described.register(MethodType)
def _(value: MethodType, seen: Seen) -> str:
    return f"method {_described((value.__func__, value.__self__), seen)}"


@_described.register(FunctionType)
def _(value: FunctionType, seen: Seen) -> str:
    if id(value) in seen:
        return "itself"
    if _installed(value.__module__):
        return f"function {value.__module__}.{value.__qualname__}"
    return _function(value, seen | {id(value)})


def _function(value: FunctionType, seen: Seen) -> str:
    """Tell a function by its code and all that it refers to."""
    space, code = value.__globals__, value.__code__
    used = {name: space[name] for name in sorted(_globals(code)) if name in space}
    cells = [cell.cell_contents for cell in value.__closure__ or ()]
    rest = _described((used, cells, value.__defaults__, value.__kwdefaults__), seen)
    return f"function {_code(code, value.__doc__)} {rest}"


def _globals(code: CodeType) -> set[str]:
    """Return the names that a code looks up outside, those of functions inside it included."""
    result = {
        get_instruction.argval
        for get_instruction in dis.get_instructions(code)
        if get_instruction.opname in LOOKED_UP
    }
    inside = (item for item in code.co_consts if isinstance(item, CodeType))
    return result.union(*map(_globals, inside))


def _code(code: CodeType, words: str | None = None) -> str:
    """Tell what a code does, its docstring left out."""
    constants = [
        _code(item) if isinstance(item, CodeType) else _described(item, frozenset())
        for item in code.co_consts
        if words is None or item is not words
    ]
    names = (code.co_names, code.co_varnames, code.co_freevars, code.co_flags & FLAGS)
    return f"{code.co_code.hex()} {constants} {names}"


@_described.register(type)
def _(value: type[Any], seen: Seen) -> str:
    if id(value) in seen:
        return "itself"
    if value is object or (_installed(value.__module__) and not issubclass(value, Loss)):
        return f"class {value.__module__}.{value.__qualname__}"
    if value.__module__.partition(".")[0] == OURS:
        return f"class {value.__qualname__}"  # the version of our own code is known
    seen |= {id(value)}
    described = [
        (name, _function(item, seen) if isinstance(item, FunctionType) else _described(item, seen))
        for name, item in sorted(vars(value).items())
        if name not in IGNORED and (isinstance(item, FunctionType) or not name.startswith("__"))
    ]
    return f"class {[_described(base, seen) for base in value.__bases__]} {described}"


@_described.register(Loss)
def _(value: Loss, seen: Seen) -> str:
    if id(value) in seen:
        return "itself"
    return f"loss {_described((type(value), vars(value)), seen | {id(value)})}"
