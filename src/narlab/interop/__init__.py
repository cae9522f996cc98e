"""Ways out: narlab's data and models in the formats of others.

`onnx` writes models for onnxruntime, `parquet` data sets for Hugging Face and pandas, `pyg` gives data sets of PyTorch
Geometric, `clrs` what dm-clrs's samplers give. Each needs an extra of the same name (`clrs`: `oracle`), and nothing is
imported before it is asked for.
"""

from typing import TYPE_CHECKING

from narlab.common import lazily

if TYPE_CHECKING:
    from narlab.interop import clrs, onnx, parquet, pyg
else:
    __getattr__ = lazily(__name__, {name: f"narlab.interop.{name}" for name in ("clrs", "onnx", "parquet", "pyg")})

__all__ = ["clrs", "onnx", "parquet", "pyg"]
