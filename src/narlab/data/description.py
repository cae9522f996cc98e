"""The full description of a data set: everything that its samples depend on."""

import json
from dataclasses import asdict, dataclass, fields

from narlab.common.errors import unknown


@dataclass(frozen=True)
class Description:
    """Which samples: enough to make them again, on any machine.

    `stream` is `official` (the benchmark's arrays, dtypes included) or `fast` (the same values' narrow dtypes, any
    sample first). `graphs` is a graph family such as `regular:k=4` where it is not the algorithm's own, `needle` the
    length of the string that is looked for where it is not the benchmark's.
    """

    dataset: str
    algorithm: str
    split: str
    n: int
    count: int
    seed: int
    stream: str = "fast"
    graphs: str | None = None
    weights: tuple[float, float] | None = None
    needle: int | None = None

    def to_json(self) -> str:
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> "Description":
        values = json.loads(text)
        known = [field.name for field in fields(cls)]
        for name in values:
            if name not in known:
                raise unknown("key of a data set's description", name, known)
        if values.get("weights"):
            values["weights"] = tuple(values["weights"])
        return cls(**values)
