"""Makes the golden arrays and digests anew from dm-clrs 2.0.3: `make golden`.

`golden/NAME.npz` holds every array of two samples at two sizes, in the smallest dtype that keeps the values.
`../data/official_digests.json` holds a digest of every array of the benchmark's splits, dtype and shape included; hints
only of the validation split, since those of others would take gigabytes.
"""

import hashlib
import json
import warnings
from pathlib import Path

import numpy as np

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import clrs

HERE = Path(__file__).parent
SIZES = (7, 16)
SPLITS = {"train": (1000, 16, 1), "val": (32, 16, 2), "test": (32, 64, 3)}
MANY = {"find_maximum_subarray_kadane": 32}
MANY |= dict.fromkeys(
    ("quickselect", "minimum", "binary_search", "naive_string_matcher", "kmp_matcher", "segments_intersect"), 64
)


def smallest(array: np.ndarray) -> np.ndarray:
    return next((array.astype(d) for d in ("i1", "i2") if (array.astype(d) == array).all()), array)


def arrays(name: str, *, count: int, n: int, seed: int) -> dict[str, np.ndarray]:
    sampler, _ = clrs.build_sampler(name, num_samples=count, length=n, seed=seed)
    found = {f"inputs/{point.name}": point.data for point in sampler._inputs}
    found |= {f"outputs/{point.name}": point.data for point in sampler._outputs}
    found |= {f"hints/{point.name}": np.moveaxis(point.data, 0, 1) for point in sampler._hints}
    return found | {"lengths": sampler._lengths.astype(np.int64)}


def digest(array: np.ndarray) -> str:
    described = f"{array.dtype} {array.shape} ".encode()
    return hashlib.sha256(described + np.ascontiguousarray(array).tobytes()).hexdigest()[:16]


def digests(name: str, split: str) -> dict[str, str]:
    count, n, seed = SPLITS[split]
    if split != "train":
        count *= MANY.get(name, 1)
    if name in ("naive_string_matcher", "kmp_matcher"):
        n = 5 * n // 4
    found = arrays(name, count=count, n=n, seed=seed)
    return {key: digest(array) for key, array in found.items() if split == "val" or not key.startswith("hints/")}


def main() -> None:
    digest_file = HERE.parent / "data" / "official_digests.json"
    official = {}
    for name in clrs.CLRS_30_ALGS_SETTINGS:
        golden = {
            f"{n}/{key}": smallest(array) for n in SIZES for key, array in arrays(name, count=2, n=n, seed=3).items()
        }
        np.savez_compressed(HERE / "golden" / f"{name}.npz", **golden)
        official[name] = {split: digests(name, split) for split in SPLITS}
        print(name, flush=True)
        digest_file.write_text(json.dumps(official, indent=1) + "\n")


if __name__ == "__main__":
    main()
