from assay.report.figures.canvas import Canvas
from assay.report.figures.frames import animate


def _animated(names, **how):
    canvas = Canvas("Title", **how)
    trace = canvas.trace(([0], [0]), "point")
    animate(canvas, [(name, [trace], [0], {}) for name in names], what="step")
    return canvas.figure


def test_the_slider_has_a_step_for_each_frame_and_there_are_two_buttons():
    figure = _animated(["1", "2", "3"])
    [slider], [menu] = figure.layout.sliders, figure.layout.updatemenus
    assert [step.label for step in slider.steps] == [frame.name for frame in figure.frames]
    assert [button.label for button in menu.buttons] == ["▶ play", "❚❚ stop"]
    assert slider.currentvalue.prefix == "step "


def test_long_names_are_read_above_the_slider_only():
    figure = _animated(["1: a long one"], theme="dark")
    assert figure.layout.sliders[0].font.color == "rgba(0,0,0,0)"


def test_the_legend_stays_below_the_axes_and_above_the_slider():
    figure = _animated(["1", "2"], height=600)
    layout = figure.layout
    inside = 600 - layout.margin.t - layout.margin.b
    below = [round(-part.y * inside) for part in (layout.legend, layout.sliders[0])]
    assert below == [58, 124]
    assert layout.margin.b > 124 + 60  # the slider itself
