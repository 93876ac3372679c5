"""Tensors in files of torch.save, read without torch and without unpickling.

Such a file is a ZIP archive of raw numbers and a pickle that describes them. A pickle is a program,
and unpickling runs it. Here its instructions are interpreted one by one, as far as a tensor, or a
dict or list of tensors, needs them; any other instruction or name is refused. Nothing is imported
or called.
"""

from __future__ import annotations

import math
import pickletools
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..files import check_fits, reading, regular_file

LONGEST_PROGRAM = 1 << 20  # bytes of instructions at most; those of a tensor take some 150
STORAGES: dict[str, Any] = {
    "torch DoubleStorage": np.dtype("<f8"),
    "torch FloatStorage": np.dtype("<f4"),
    "torch HalfStorage": np.dtype("<f2"),
    "torch BFloat16Storage": np.dtype("<u2"),  # the upper half of a float32
    "torch LongStorage": np.dtype("<i8"),
    "torch IntStorage": np.dtype("<i4"),
    "torch ShortStorage": np.dtype("<i2"),
    "torch CharStorage": np.dtype("<i1"),
    "torch ByteStorage": np.dtype("<u1"),
    "torch BoolStorage": np.dtype("?"),
}
TENSOR, PARAMETER = "torch._utils _rebuild_tensor_v2", "torch._utils _rebuild_parameter"
DICT = "collections OrderedDict"
CONSTANTS: dict[str, Any] = {
    **{"NEWTRUE": True, "NEWFALSE": False, "NONE": None},
    **{"EMPTY_TUPLE": (), "EMPTY_LIST": [], "EMPTY_DICT": {}},
}
VALUES = ("BININT", "BININT1", "BININT2", "LONG1", "BINFLOAT", "BINUNICODE", "SHORT_BINUNICODE")


class Name(NamedTuple):
    """A global name, which is never looked up."""

    name: str


class Storage(NamedTuple):
    """An array of numbers in the archive."""

    kind: str
    key: str
    size: int


class Tensor(NamedTuple):
    """A view of a storage: offset, shape and strides."""

    storage: Storage
    offset: int
    shape: tuple[int, ...]
    steps: tuple[int, ...]

    @property
    def dtype(self) -> Any:
        """The type it is read as."""
        brain = self.storage.kind == "torch BFloat16Storage"
        return np.dtype(np.float32) if brain else STORAGES[self.storage.kind]


def read_tensors(path: Path) -> Any:
    """Return the tensors of a file without their numbers: one, or dicts and lists of them."""
    with reading(regular_file(path), "tensors of torch"):
        if not zipfile.is_zipfile(path):
            raise ValueError("it is no ZIP archive; load it with torch, and save it anew")
        with zipfile.ZipFile(path) as archive:
            program = _member(archive, "data.pkl")
            _check_member(path, program, LONGEST_PROGRAM)
            order = [item for item in archive.infolist() if item.filename.endswith("/byteorder")]
            if order and archive.read(_check_member(path, order[0], 16)) != b"little":
                raise ValueError("its numbers are not in little-endian order")
            return interpret(archive.read(program))


def read_numbers(path: Path, tensor: Tensor, memory: int) -> Any:
    """Return the numbers of a tensor."""
    with reading(regular_file(path), "tensors of torch"):
        check_fits(f"{path}: a tensor", math.prod(tensor.shape) * 8, memory)
        dtype = STORAGES[tensor.storage.kind]
        if len(tensor.shape) != len(tensor.steps) or min(tensor.steps, default=0) < 0:
            raise ValueError(f"it has a tensor of shape {tensor.shape} and steps {tensor.steps}")
        ends = zip(tensor.shape, tensor.steps, strict=True)
        last = tensor.offset + sum((size - 1) * step for size, step in ends)
        if min(tensor.shape, default=1) < 1:
            return np.zeros(tensor.shape, tensor.dtype)
        with zipfile.ZipFile(path) as archive:
            member = _member(archive, f"data/{tensor.storage.key}")
            _check_member(path, member, memory)
            flat = np.frombuffer(archive.read(member), dtype)
        if len(flat) != tensor.storage.size or not 0 <= tensor.offset <= last < len(flat):
            raise ValueError(f"it has a tensor of {last + 1} numbers in an array of {len(flat)}")
        steps = [step * dtype.itemsize for step in tensor.steps]
        result = np.lib.stride_tricks.as_strided(flat[tensor.offset :], tensor.shape, steps)
        if tensor.dtype == dtype:
            return result.astype(dtype.newbyteorder("="))
        return (result.astype(np.uint32) << 16).view(np.float32)


def _member(archive: zipfile.ZipFile, name: str) -> zipfile.ZipInfo:
    """Return the one member of a name, in the one folder that the archive has."""
    result = [item for item in archive.infolist() if item.filename.partition("/")[2] == name]
    if len(result) != 1:
        raise ValueError(f"it has {len(result)} members {name!r}, not one")
    return result[0]


def _check_member(path: Path, member: zipfile.ZipInfo, most: int) -> zipfile.ZipInfo:
    if member.compress_type != zipfile.ZIP_STORED:
        raise ValueError(f"its member {member.filename!r} is compressed, as torch does not do")
    check_fits(f"{path}, {member.filename!r}", member.file_size, most)
    return member


def interpret(program: bytes) -> Any:
    """Return the object that a pickle describes, if it consists of tensors.

    Examples
    --------
    >>> import pickle
    >>> interpret(pickle.dumps({"features": [1, 2]}, protocol=2))
    {'features': [1, 2]}
    >>> interpret(pickle.dumps(print, protocol=2))
    Traceback (most recent call last):
    ValueError: it names '__builtin__ print', which is no part of a tensor: it may run code, and is
    not read
    """
    machine = _Machine()
    for code, value, _ in pickletools.genops(program):
        if code.name == "STOP":
            if len(machine.stack) != 1 or machine.marks:
                break
            return machine.stack[0]
        machine.step(code.name, value)
    raise ValueError("its instructions end too early")


class _Machine:
    """The stack machine of pickle."""

    def __init__(self) -> None:
        self.stack: list[Any] = []
        self.marks: list[int] = []
        self.memo: dict[int, Any] = {}
        pop = self._since_mark
        self.known: dict[str, Callable[[Any], Any]] = {
            "GLOBAL": self._name,
            "BINGET": self.memo.__getitem__,
            "LONG_BINGET": self.memo.__getitem__,
            "TUPLE": lambda _: tuple(pop()),
            "TUPLE1": lambda _: tuple(self._pop(1)),
            "TUPLE2": lambda _: tuple(self._pop(2)),
            "TUPLE3": lambda _: tuple(self._pop(3)),
            "STACK_GLOBAL": lambda _: self._name(" ".join(self._pop(2))),
            "BINPERSID": lambda _: _storage(*self._pop(1)),
            "REDUCE": lambda _: _rebuilt(*self._pop(2)),
            "APPEND": lambda _: self._fill(self._pop(1)),
            "APPENDS": lambda _: self._fill(pop()),
            "SETITEM": lambda _: self._fill(self._pop(2)),
            "SETITEMS": lambda _: self._fill(pop()),
        }

    def step(self, code: str, value: Any) -> None:
        """Follow one instruction."""
        if code in ("PROTO", "FRAME"):
            return
        if code == "MARK":
            self.marks.append(len(self.stack))
        elif code in ("BINPUT", "LONG_BINPUT"):
            self.memo[value] = self.stack[-1]
        elif code == "MEMOIZE":
            self.memo[len(self.memo)] = self.stack[-1]
        elif code in VALUES:
            self.stack.append(value)
        elif code in CONSTANTS:
            made = CONSTANTS[code]
            self.stack.append(type(made)() if isinstance(made, list | dict) else made)
        elif code in self.known:
            self.stack.append(self.known[code](value))
        else:
            raise ValueError(f"its instruction {code} is no part of a tensor, and is not read")

    def _pop(self, count: int) -> list[Any]:
        if len(self.stack) < count:
            raise ValueError("its instructions take more than there is")
        result = self.stack[len(self.stack) - count :]
        del self.stack[len(self.stack) - count :]
        return result

    def _since_mark(self) -> list[Any]:
        if not self.marks:
            raise ValueError("its instructions take more than there is")
        return self._pop(len(self.stack) - self.marks.pop())

    def _fill(self, values: list[Any]) -> Any:
        """Return the list or dict below with values put into it."""
        (held,) = self._pop(1)
        if isinstance(held, list):
            held.extend(values)
        elif isinstance(held, dict):
            if not all(isinstance(value, str) for value in values[::2]):
                raise ValueError("its dict must have words for names")
            held.update(zip(values[::2], values[1::2], strict=True))
        else:
            raise ValueError("its instructions fill what is neither a list nor a dict")
        return held

    def _name(self, name: str) -> Name:
        if name not in (*STORAGES, TENSOR, PARAMETER, DICT):
            raise ValueError(
                f"it names {name!r:.80}, which is no part of a tensor: it may run code, and is not "
                "read"
            )
        return Name(name)


def _storage(given: Any) -> Storage:
    """Return the storage that five values describe."""
    words = isinstance(given, tuple) and len(given) == 5 and given[0] == "storage"
    if not words or not isinstance(given[1], Name) or given[1].name not in STORAGES:
        raise ValueError("it has numbers of a kind that is not read")
    if type(given[4]) is not int or given[4] < 0 or not str(given[2]).isdecimal():
        raise ValueError(f"it has {given[4]!r:.40} numbers in {given[2]!r:.40}")
    return Storage(given[1].name, str(given[2]), given[4])


def _rebuilt(name: Any, given: Any) -> Any:
    """Return the result of a call: a tensor, the tensor of a parameter, or an empty dict."""
    called = name.name if isinstance(name, Name) else ""
    if called == DICT and given == ():
        return {}
    given = given if isinstance(given, tuple) else ()
    if called == PARAMETER and given and isinstance(given[0], Tensor):
        return given[0]
    if called == TENSOR and len(given) >= 4:
        storage, offset, shape, steps = given[:4]
        whole = all(
            isinstance(axes, tuple) and all(type(axis) is int and axis >= 0 for axis in axes)
            for axes in (shape, steps, (offset,))
        )
        if isinstance(storage, Storage) and whole:
            return Tensor(storage, offset, shape, steps)
    raise ValueError("its instructions make something that is no tensor")
