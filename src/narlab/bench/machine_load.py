"""Who else is using the machine."""

import os
from pathlib import Path
from time import perf_counter, process_time, sleep


class LoadMeter:
    """Measures from its making on how many cores are used by other processes."""

    def __init__(self) -> None:
        self.start, self.busy, self.own = perf_counter(), _busy_seconds(), process_time()

    def foreign(self) -> float | None:
        """Seconds of all cores that others have used, in coarse ticks; `None` where the system does not tell."""
        busy = _busy_seconds()
        return None if busy is None or self.busy is None else busy - self.busy - (process_time() - self.own)

    def others(self) -> float | None:
        """How many cores others have used on average."""
        foreign = self.foreign()
        return None if foreign is None else max(0.0, foreign) / (perf_counter() - self.start)


def used_by_others(seconds: float = 0.5) -> float:
    """How many cores are busy while this process sleeps; the load of the last minute where the system does not tell."""
    meter = LoadMeter()
    sleep(seconds)
    others = meter.others()
    return os.getloadavg()[0] if others is None else others


def _busy_seconds() -> float | None:
    """Seconds that all cores together have worked since the system began, with those taken by a host's other guests."""
    try:
        first = Path("/proc/stat").read_text().split("\n", 1)[0]
    except OSError:
        return None
    user, nice, system, _idle, _waiting, interrupts, soft, stolen = map(int, first.split()[1:9])
    return (user + nice + system + interrupts + soft + stolen) / os.sysconf("SC_CLK_TCK")
