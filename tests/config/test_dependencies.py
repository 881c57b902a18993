"""Each dependency has a floor, which the locked version satisfies; extras are not needed to start."""

import re
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from core.refusals import Refusal
from review.reports.drawing.pictures import picture

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
EXTRAS = PROJECT["project"]["optional-dependencies"]
ALL = [
    *PROJECT["project"]["dependencies"],
    *(each for extra in EXTRAS.values() for each in extra),
    *PROJECT["dependency-groups"]["dev"],
]


@pytest.mark.parametrize("written", sorted(set(ALL)))
def test_it_has_a_floor(written):
    floors = {each.operator for each in Requirement(written).specifier}
    assert floors & {">=", "~=", "=="}, "write the oldest version that was tested"


@pytest.mark.parametrize("lock", ["requirements.lock", "requirements-dev.lock"])
def test_locked_versions_satisfy_the_floors(lock):
    found = re.findall(r"^([\w.-]+)==([\w.]+)", (ROOT / lock).read_text(), re.MULTILINE)
    locked = {canonicalize_name(name): version for name, version in found}
    wanted = PROJECT["project"]["dependencies"] + EXTRAS["pictures"]
    wanted += PROJECT["dependency-groups"]["dev"] if "dev" in lock else []
    for requirement in map(Requirement, wanted):
        assert requirement.specifier.contains(locked[canonicalize_name(requirement.name)]), requirement


def test_lock_files_name_no_address():
    for lock in ("requirements.lock", "requirements-dev.lock", "docs/requirements.lock"):
        assert "://" not in (ROOT / lock).read_text()


def test_without_matplotlib_a_picture_is_refused_in_a_sentence(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(Refusal, match="extra “pictures”"):
        picture(None, "svg", title="Any")
