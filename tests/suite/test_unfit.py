"""Cases that cannot be run together, or at their launch."""

from pathlib import Path

import pytest

from shflbench.core.model import Overrides
from shflbench.errors import UsageError
from tests.suite.conftest import Folder

ALL = "experiments:\n  - pattern: ./ring\n    launch: 26x128\n    dtypes: f32\n"


@pytest.fixture
def ring(folder: Folder) -> Folder:
    """Return the folder with a pattern whose reference is `smem`, and which is written for two block sizes."""
    file = Path("ring/pattern.py")
    text = file.read_text(encoding="utf-8")
    added = '    blocks=(64, 128),\n    reference_variant="smem",\n    options='
    file.write_text(text.replace("    options=", added), encoding="utf-8")
    return folder


def test_a_suite_with_the_reference_and_the_right_block_loads(ring: Folder) -> None:
    assert len(ring.ids(ALL)) == 3


def test_a_suite_that_leaves_the_reference_out_is_refused(ring: Folder) -> None:
    assert ring.refusal_of(ALL + "    variants: [shfl, smem-unsafe]\n") == (
        "demo.yaml:7:15: `ring/f32/26x128/4096/mode=idx/width=32` lacks the variant `smem`; "
        "needed: `smem`, because its results are the reference"
    )


def test_a_skip_of_the_reference_is_refused(ring: Folder) -> None:
    assert "lacks the variant `smem`" in ring.refusal_of(ALL + "    skip: {variant: smem}\n")


def test_a_filter_that_leaves_the_reference_out_is_refused(ring: Folder) -> None:
    with pytest.raises(UsageError) as error:
        ring.ids(ALL, Overrides(variants=("shfl",)))
    assert error.value.message == (
        "`ring/f32/26x128/4096/mode=idx/width=32` lacks the variant `smem`; "
        "needed: `smem`, because its results are the reference"
    )


def test_a_launch_that_the_kernels_do_not_support_is_refused(ring: Folder) -> None:
    assert ring.refusal_of(ALL.replace("26x128", "[26x128, sms x 256]")) == (
        "demo.yaml:5:13: found the launch `sms x 256`; "
        "allowed: blocks of 64 or 128 threads, for which `ring` is written"
    )
    with pytest.raises(UsageError, match="found the launch `2x32`; allowed: blocks of 64 or 128 threads"):
        ring.ids(ALL, Overrides(launches=("2x32",)))
