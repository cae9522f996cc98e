"""`narlab export`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro

from narlab.cli.commands import OptionalText


@dataclass(frozen=True)
class Export:
    """Write the chosen model of a run as an ONNX file, which needs neither narlab nor PyTorch to run.

    It takes graphs of any size in batches of any size. The number of recurrent steps is computed in the file: by the
    model's rule from the size of the graphs, or from the input `lengths` where a model runs as long as its algorithm.

    Examples:
      narlab export quicksort@triangle --onnx quicksort.onnx
      narlab export runs/bfs-l_clrs-mpnn_g-42 --onnx bfs.onnx --depth 2*n
    """

    folder: Annotated[tyro.conf.Positional[Path], tyro.conf.arg(metavar="FOLDER")]
    """The run's folder, or a model that comes with narlab: quicksort@triangle."""
    onnx: Path
    """The file, .onnx."""
    depth: OptionalText = None
    """Recurrent steps, a number or a rule such as n/2; default: the chosen model's own."""

    def run(self) -> None:
        from narlab.common import say
        from narlab.common.files import check_target
        from narlab.interop import onnx  # here, because PyTorch takes long to load
        from narlab.training import load
        from narlab.training.pretrained import run_folder

        check_target(self.onnx, (".onnx",))
        model = load(run_folder(self.folder))
        if self.depth is not None:
            onnx.set_depth(model, self.depth)
        path = onnx.export(model, self.onnx)
        session = onnx.session_of(path)
        say(f"{path}: {model.algorithm.name}, {path.stat().st_size / 1e6:.1f} MB, depth {model.depth}")
        for name, values in (("inputs", session.get_inputs()), ("outputs", session.get_outputs())):
            print(f"{name}: " + ", ".join(f"{value.name} [{', '.join(map(str, value.shape))}]" for value in values))


COMMAND = Export
