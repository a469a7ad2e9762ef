import subprocess
import sys
from pathlib import Path

import pytest

import assay
from assay.report import figures


@pytest.mark.parametrize("name", figures.__all__)
def test_every_figure_is_reached_from_the_top(name):
    function = getattr(assay.figures, name)
    assert callable(function)
    assert name in dir(assay.figures)
    assert "Examples\n    --------" in function.__doc__


def test_no_figure_has_the_name_of_a_file():
    files = {path.stem for path in Path(figures.__file__).parent.glob("*.py")}
    assert not files & set(figures.__all__)


def test_an_unknown_figure_is_said_to_be_none():
    with pytest.raises(AttributeError, match="pie"):
        assay.figures.pie  # noqa: B018


def test_plotly_is_imported_by_the_first_figure_only():
    code = (
        "import sys, assay; assay.figures.decision_boundary; assert 'plotly' not in sys.modules;"
        "assay.figures.margins_distribution([0.5]); assert 'plotly' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
