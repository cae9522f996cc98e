"""An algorithm at work: a picture for each step, moving as GIF, or one by one in an HTML page without a network.

A frame shows the answer so far, where hints tell it (`pi_h` is that of `pi`), and all hints of the step in words.
"""

import base64
import io
import os
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from PIL import Image

from narlab.algorithms.engine import Algorithm, Execution
from narlab.common.files import check_target, write_whole
from narlab.report.pictures.figures import DPI, rendered
from narlab.report.pictures.instance import figure_of
from narlab.report.pictures.instance.sample import Sample
from narlab.report.trace import steps_told

SUFFIXES = (".gif", ".html")
SECONDS = 0.9  # of a frame, and thrice that of the last one
LINE, MARGIN = 0.17, 0.15  # inches of a line of text, and around all of them
LETTERS_PER_INCH = 13
HALF = 2  # a picture's pixels to one of a frame
MOST_LINES = 60  # of hints below a picture
Arrays = Mapping[str, np.ndarray]

PAGE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline';
script-src 'unsafe-inline'"><title>{title}</title><style>
body {{ font: 16px system-ui, sans-serif; margin: 1rem auto; max-width: 60rem; padding: 0 1rem; color-scheme: light; }}
img {{ display: none; max-width: 100%; height: auto; }} img.shown {{ display: block; }}
form {{ display: flex; gap: .8rem; align-items: center; }} input {{ flex: 1; }}
</style></head><body><h1>{title}</h1>
<form><button type="button" id="play">Play</button><label for="step">Step</label>
<input type="range" id="step" min="0" max="{last}" value="0"><output id="now">0 of {last}</output></form>
{images}
<script>
const frames = [...document.querySelectorAll("img")], slider = document.getElementById("step");
const show = () => {{
  frames.forEach((frame, k) => frame.classList.toggle("shown", k == slider.value));
  document.getElementById("now").textContent = `${{slider.value}} of {last}`;
}};
let timer = 0;
const button = document.getElementById("play");
const stop = () => {{ clearInterval(timer); timer = 0; button.textContent = "Play"; }};
button.addEventListener("click", () => {{
  if (timer) return stop();
  if (slider.value == slider.max) slider.value = 0;
  show();
  button.textContent = "Pause";
  timer = setInterval(() => {{ slider.value++; show(); if (slider.value == slider.max) stop(); }}, {milliseconds});
}});
slider.addEventListener("input", show);
show();
</script></body></html>
"""


def check_path(path: str | os.PathLike) -> Path:
    """`path`, if an animation can be written there."""
    return check_target(path, SUFFIXES)


def animate(algorithm: Algorithm, inputs: Arrays, execution: Execution, path: str | os.PathLike) -> Path:
    """Write one instance (a batch of one sample) at work into a GIF or HTML file."""
    path = check_path(path)
    frames = list(_frames(algorithm, inputs, execution))
    size = (max(frame.width for frame in frames), max(frame.height for frame in frames))
    even = [_on_white(frame, size) for frame in frames]
    return write_whole(path, _gif(even) if path.suffix.lower() == ".gif" else _html(algorithm, even))


def _frames(algorithm: Algorithm, inputs: Arrays, execution: Execution) -> Iterator[Image.Image]:
    told = steps_told(algorithm, execution)
    given = {name: array[0] for name, array in inputs.items()}
    done = {name: array[0] for name, array in execution.outputs.items()}
    for step, lines in enumerate(told):
        is_last = step == len(told) - 1
        answer = _answer_at(algorithm, execution, step)
        sample = Sample(algorithm, given, done if is_last or answer is None else answer)
        shown = sample if answer is not None or is_last else None
        yield _frame(shown, [f"step {step} of {len(told) - 1}", *lines])


def _answer_at(algorithm: Algorithm, execution: Execution, step: int) -> dict[str, np.ndarray] | None:
    """The answer so far, if each output has a hint that tells it."""
    assert execution.hints is not None
    hints = {(probe.name, probe.location, probe.type) for probe in algorithm.hints}
    if not all((f"{probe.name}_h", probe.location, probe.type) in hints for probe in algorithm.outputs):
        return None
    return {probe.name: execution.hints[f"{probe.name}_h"][0, step] for probe in algorithm.outputs}


def _frame(sample: Sample | None, lines: list[str]) -> Image.Image:
    """A picture above lines of text, or the text alone."""
    parts = [] if sample is None else [_image(rendered(lambda: figure_of(sample), "png"))]
    if len(lines) > MOST_LINES:
        lines = [*lines[:MOST_LINES], f"({len(lines) - MOST_LINES} more lines)"]
    parts.append(_image(rendered(lambda: _text(lines), "png")))
    whole = Image.new("RGB", (max(part.width for part in parts), sum(part.height for part in parts)), "white")
    top = 0
    for part in parts:
        whole.paste(part, (0, top))
        top += part.height
    return whole


def _image(content: bytes) -> Image.Image:
    image = Image.open(io.BytesIO(content)).convert("RGB")
    return image.resize((image.width // HALF, image.height // HALF), Image.Resampling.LANCZOS)


def _text(lines: list[str]) -> Figure:
    width = 2 * MARGIN + max(map(len, lines)) / LETTERS_PER_INCH
    height = 2 * MARGIN + LINE * len(lines)
    figure = Figure((width, height), dpi=DPI)
    FigureCanvasAgg(figure)
    for k, line in enumerate(lines):
        y = 1 - (MARGIN + LINE * (k + 0.5)) / height
        figure.text(MARGIN / width, y, line, family="DejaVu Sans Mono", fontsize=8, va="center")
    return figure


def _on_white(frame: Image.Image, size: tuple[int, int]) -> Image.Image:
    whole = Image.new("RGB", size, "white")
    whole.paste(frame, (0, 0))
    return whole


def _gif(frames: list[Image.Image]) -> bytes:
    content = io.BytesIO()
    first, *others = (frame.quantize(64) for frame in frames)
    pauses = [int(1000 * SECONDS)] * (len(frames) - 1) + [int(3000 * SECONDS)]
    first.save(content, "GIF", save_all=True, append_images=others, duration=pauses, loop=0)
    return content.getvalue()


def _html(algorithm: Algorithm, frames: list[Image.Image]) -> bytes:
    images = []
    for step, frame in enumerate(frames):
        content = io.BytesIO()
        frame.quantize(64).save(content, "PNG", optimize=True)
        source = base64.b64encode(content.getvalue()).decode()
        images.append(f'<img alt="step {step} of {algorithm.name}" src="data:image/png;base64,{source}">')
    page = PAGE.format(
        title=algorithm.name, last=len(frames) - 1, images="\n".join(images), milliseconds=int(1000 * SECONDS)
    )
    return page.encode()
