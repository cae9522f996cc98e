"""Jobs on a Ray cluster.

No file system is shared: a job's files go to a worker with the job, and come back at its end and now and then on the
way. If a worker is lost, another goes on from what came back last.
"""

import time
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from narlab.common.errors import UsageError
from narlab.experiments.sweeping.attempt import last_lines
from narlab.experiments.sweeping.jobs import ENDS, Event, Job, Kind, Tell
from narlab.experiments.sweeping.ray_connection import answers, check_installed, connected
from narlab.experiments.sweeping.remote_worker import NEWS, PATIENCE, RemoteWorker, files_in, write_files
from narlab.training.folder import Folder, HeldError

ATTEMPTS = 3  # at a job whose workers are lost
HEADLESS = 40.0  # seconds without the cluster's head, after which the sweep ends; after 60 Ray would end the process


class ClusterLostError(RuntimeError):
    """The cluster's head is gone."""


@dataclass(frozen=True)
class Cluster:
    """A worker with `cpus` CPUs and `gpus` GPUs for each job, as many at a time as fit or at most `workers`.

    Without an address, a cluster of this machine alone is started and ended. `interval` is the least number of seconds
    between two times that a job's files come back; `rest` are the seconds before a job whose worker was lost is given
    out again, since Ray takes a while to notice that a node is dead, and would give it the job.
    """

    address: str | None = None
    cpus: int = 1
    gpus: float = 0.0
    workers: int | None = None
    interval: float = 20.0
    rest: float = 20.0

    def __post_init__(self) -> None:
        if self.cpus < 1:
            raise UsageError(f"cpus must be at least 1, got {self.cpus}")
        if self.gpus < 0:
            raise UsageError(f"gpus must be at least 0, got {self.gpus}")
        if self.workers is not None and self.workers < 1:
            raise UsageError(f"workers must be at least 1, got {self.workers}")
        check_installed()

    @property
    def device(self) -> str:
        return "cuda" if self.gpus else "cpu"

    def execute(self, jobs: Sequence[Job], tell: Tell) -> None:
        """Train all jobs; this process holds their folders meanwhile."""
        with connected(self.address) as ray:
            driver = Driver(self, ray, tell)
            try:
                driver.work(deque(jobs))
            except KeyboardInterrupt:
                driver.wind_down()
                raise
            finally:
                driver.dismiss()


@dataclass(eq=False)
class Place:
    """A job at a worker, as the sweep's process sees it: the worker, what it is doing, and the job's lock."""

    job: Job
    actor: Any
    lock: ExitStack
    end: Any
    news: Any


class Driver:
    """The sweep's side of a cluster."""

    def __init__(self, engine: Cluster, ray: ModuleType, tell: Tell) -> None:
        self.engine, self.ray, self.tell = engine, ray, tell
        self.places: list[Place] = []
        self.resting: deque[tuple[float, Job]] = deque()  # until when, and what
        self.losses: Counter[str] = Counter()
        self.head: str = ray.get_runtime_context().gcs_address
        self.sees_head = answers(self.head)  # not through a proxy, as of addresses with ray://
        self.last_sign = time.monotonic()  # of the head

    def work(self, waiting: deque[Job]) -> None:
        """Keep the cluster busy until every job has ended."""
        self._check_fit()
        while waiting or self.places or self.resting:
            while self.resting and self.resting[0][0] <= time.monotonic():
                waiting.appendleft(self.resting.popleft()[1])
            while self._has_head() and waiting and len(self.places) < self._slots():
                self._submit(waiting.popleft())
            for place, answer in self._answers():
                if place not in self.places:
                    continue
                try:
                    self._hear(place, answer)
                except self.ray.exceptions.RayError as error:
                    self._release(place)
                    if self._worth_another(place.job, error):
                        self.resting.append((time.monotonic() + self.engine.rest, place.job))

    def _has_head(self) -> bool:
        """Whether the cluster's head answers: nothing can be given out without it, but workers go on for a while."""
        now = time.monotonic()
        if not self.sees_head or answers(self.head):
            self.last_sign = now
        elif now - self.last_sign > HEADLESS:
            raise ClusterLostError(
                f"the cluster's head at {self.head} has not answered for {HEADLESS:.0f} s; "
                "when there is one again, the same command goes on"
            )
        return self.last_sign == now

    def wind_down(self) -> None:
        """Fetch what the workers have."""
        if self.places:
            text = "stopping: fetching the runs' checkpoints; Ctrl-C again stops at once"
            self.tell(Event(Kind.SAID, self.places[0].job, text))
        asked = {place.actor.farewell.remote(): place for place in self.places}
        if asked:
            ready, _ = self.ray.wait(list(asked), num_returns=len(asked), timeout=PATIENCE)
            for answer in ready:
                with suppress(self.ray.exceptions.RayError, UsageError):
                    write_files(asked[answer].job.folder, self.ray.get(answer) or {})

    def dismiss(self) -> None:
        """End all workers."""
        for place in list(self.places):
            self._release(place)

    def _submit(self, job: Job) -> None:
        """Give the job to a worker, unless somebody else has it or has finished it."""
        with ExitStack() as stack:
            try:
                stack.enter_context(Folder(job.folder).locked())
                files = files_in(job.folder)
            except HeldError as error:
                return self.tell(Event(Kind.HELD, job, error.owner))
            except UsageError as error:
                return self.tell(Event(Kind.FAILED, job, [str(error)]))
            if "result.json" in files:
                return self.tell(Event(Kind.FINISHED, job))
            engine = self.engine
            worker = self.ray.remote(RemoteWorker)
            kind = worker.options(num_cpus=engine.cpus, num_gpus=engine.gpus, max_concurrency=3)
            actor = kind.remote(job, files, threads=engine.cpus, device=engine.device, interval=engine.interval)
            place = Place(job, actor, stack.pop_all(), end=actor.train.remote(), news=actor.news.remote())
            return self.places.append(place)

    def _answers(self) -> Iterator[tuple[Place, Any]]:
        """What workers have answered, after a moment."""
        asked = {answer: place for place in self.places for answer in (place.news, place.end)}
        if asked:
            self.ray.wait(list(asked), timeout=NEWS)
            ready, _ = self.ray.wait(list(asked), num_returns=len(asked), timeout=0)
            yield from ((asked[answer], answer) for answer in ready)
        else:
            time.sleep(NEWS)

    def _hear(self, place: Place, answer: Any) -> None:
        """Write the files that came, tell what happened, and let the worker go if it is done."""
        events, files = self.ray.get(answer)
        try:
            write_files(place.job.folder, files or {})
        except UsageError as error:
            events = [Event(Kind.FAILED, place.job, [str(error)])]
        if any(event.kind in ENDS for event in events):
            self._release(place)
        else:
            place.news = place.actor.news.remote()
        for event in events:
            self.tell(event)

    def _worth_another(self, job: Job, error: Exception) -> bool:
        """Whether a job whose worker was lost is tried again."""
        self.losses[job.name] += 1
        if self.losses[job.name] < ATTEMPTS:
            text = f"{job.name}: its worker was lost; it goes on elsewhere from its last checkpoint"
            self.tell(Event(Kind.SAID, job, text))
            return True
        lines = [*last_lines(str(error)), f"its worker was lost in each of {ATTEMPTS} attempts"]
        self.tell(Event(Kind.FAILED, job, lines))
        return False

    def _release(self, place: Place) -> None:
        self.places.remove(place)
        self.ray.kill(place.actor)
        place.lock.close()

    def _slots(self) -> int:
        """How many jobs are given out at a time; one waits for better times if there is no node at all."""
        return self.engine.workers or max(1, sum(self._fits(node) for node in self._nodes()))

    def _check_fit(self) -> None:
        if self.engine.workers is None and not any(self._fits(node) for node in self._nodes()):
            most = max((node.get("CPU", 0) for node in self._nodes()), default=0)
            raise UsageError(
                f"no node of the cluster has {self.engine.cpus} CPUs and {self.engine.gpus:g} GPUs; "
                f"the largest has {most:g} CPUs: ask for less, or say with workers that nodes will come"
            )

    def _fits(self, node: dict[str, float]) -> int:
        """How many jobs a node has room for."""
        room = node.get("CPU", 0) // self.engine.cpus
        return int(min(room, node.get("GPU", 0) // self.engine.gpus) if self.engine.gpus else room)

    def _nodes(self) -> list[dict[str, float]]:
        return [node["Resources"] for node in self.ray.nodes() if node["Alive"]]
