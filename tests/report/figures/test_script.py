from assay.report.figures.script import plotly_script


def test_the_script_is_plotly_and_cannot_end_its_element():
    script = plotly_script()
    assert "Plotly" in script
    assert "</script" not in script
