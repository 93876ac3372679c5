"""What ``dir`` shows, and so what a notebook completes: public names, and no others."""

from __future__ import annotations

import pytest

import needlescope as ns

ROOMS = ["deep", "estimators", "figures"]
SHOWN = {
    ns: [*ns.__all__, *ROOMS],
    ns.figures: ns.figures.__all__,
    ns.estimators: ns.estimators.__all__,
    ns.deep: ns.deep.__all__,
}


@pytest.mark.parametrize("module", SHOWN, ids=lambda item: item.__name__)
def test_only_public_names_are_shown(module):
    assert dir(module) == sorted(SHOWN[module])
    assert not any(name.startswith("_") for name in dir(module))
    assert not {"annotations", "import_module", "Any", "TYPE_CHECKING"} & set(dir(module))


@pytest.mark.parametrize("module", SHOWN, ids=lambda item: item.__name__)
def test_all_that_is_shown_is_there(module):
    assert all(getattr(module, name) is not None for name in dir(module))
