"""Work of lanes cut into slices: it goes on for as long as it may, and stands still between any two operations.

What is cut is any call that computes with torch: a fused update, say. It has a thread of its own, which runs while `go`
waits for it, so that never more than one of the two computes: no lock, no core and no generator is fought over. A
thread, since where torch stands (`vmap`, autocast, modes) is a thread's; what is the whole process's, generators and
settings, is changed over each time. So the same operations are computed in the same order, and the bits are those of a
call that nobody cut. It refuses to know why and when work has to stand still.
"""

from __future__ import annotations

import contextvars
import threading
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from hippo.clock import Clock, SystemClock
from hippo.training.process.process_settings import ProcessSettings
from hippo.training.process.streams import HeldStates, fence
from hippo.training.slice_memory import SliceMemory

#: whether a slice that probably takes so many seconds may run now
MayRun = Callable[[float], bool]

#: how much of an earlier, longer time counts when a slice is expected to take long: one that was late once, because
#: the machine was busy, is forgiven after some dozen times
_MEMORY = 0.95


class SlicesDropped(BaseException):
    """Raised in work that is dropped; no `Exception`, so that it passes through the code of users."""


class SlicedWork:
    """A call that runs slice by slice: one operation of torch's, forward or backward, is a slice.

    Args:
      call: the work, without arguments. It may be dropped between any two operations.
      times: what slices take, by their names, as it was measured: learned from, and added to. Works of one kind share
        it. A slice that nobody has measured is expected to take no time.
      clock: measures slices.
      memory: caps what slices add to the process; None: they may take what there is.
    """

    def __init__(
        self,
        call: Callable[[], Any],
        *,
        times: dict[str, float] | None = None,
        clock: Clock | None = None,
        memory: SliceMemory | None = None,
    ) -> None:
        self._call = call
        self._times = {} if times is None else times
        self._clock = clock or SystemClock()
        self._memory = memory
        self._thread: threading.Thread | None = None
        #: locks, which are taken when nobody has to go on: quicker than a semaphore, and there are many slices
        self._go, self._back = threading.Lock(), threading.Lock()
        self._go.acquire()
        self._back.acquire()
        #: how often the work was let go on, and how often it stood after that, or was over: told by counting, since who
        #: is interrupted as a lock is taken does not know whether it was
        self._num_gone, self._num_stood = 0, 0
        self._may_run: MayRun = _always
        self._never_set = threading.Event()
        #: the name of the slice before which it stands, and when the one before it began
        self._next, self._began = "begin", 0.0
        self._surroundings: _ProcessState | None = None
        self._is_dropped = False
        #: slices that were run
        self.count = 0
        #: whether it has returned, or raised
        self.is_over = False
        #: what it returned, once it is over
        self.returned: Any = None
        #: what it raised; and what broke off the wait for it: a signal's handler raised that, and no work
        self.raised: BaseException | None = None
        self.interrupt: BaseException | None = None

    @property
    def next_s(self) -> float:
        """Seconds that the next slice is expected to take."""
        return self._times.get(self._next, 0.0)

    def forgive(self, part: float) -> None:
        """Expect the next slice to take only this part of what it was expected to."""
        if self._next in self._times:
            self._times[self._next] *= part

    def go(self, may_run: MayRun) -> bool:
        """Run slices for as long as they may run, and return whether the work is over.

        Args:
          may_run: asked before each slice, with the seconds that it is expected to take.

        Raises:
          BaseException: what the work raised, or a signal's handler meanwhile; see `raised` and `interrupt`.
        """
        if self.is_over or not may_run(self.next_s):
            return self.is_over
        self._may_run = may_run
        self._change_over()
        if self.raised is not None:
            raise self.raised
        return self.is_over

    def drop(self) -> None:
        """Let it unwind from where it stands, its `finally` blocks included, and wait for that."""
        if self._thread is None:
            self.is_over = True
        if self.is_over:
            return
        self._is_dropped = True
        self._change_over()

    # ------------------------------------------------------------------------------------------------ the work's side

    def reach(self, name: str) -> None:
        """Stand before a slice until it may run; called by the work, in its thread.

        Raises:
          SlicesDropped: it never will.
        """
        if self._is_dropped:
            return  # it unwinds, and what its `finally` blocks compute is nobody's slice
        self._note()
        self._next = name
        if not self._may_run(self.next_s):
            self._hand_back()
            self._go.acquire()  # `go` has asked by then
            if self._is_dropped:
                raise SlicesDropped
        self._began = self._clock.elapsed()

    def check_memory(self) -> None:
        """Look, after an operation that has allocated something; called by the work.

        Raises:
          MemoryError: slices have more memory than they may.
        """
        if self._memory is not None and not self._is_dropped:
            self._memory.check()

    def _note(self) -> None:
        """Take note of what the slice took that ends now."""
        took_s = self._clock.elapsed() - self._began
        self._times[self._next] = max(took_s, _MEMORY * self._times.get(self._next, 0.0))
        self.count += 1

    def _run(self, go: threading.Lock) -> None:
        go.acquire()
        try:
            if self._is_dropped:
                raise SlicesDropped
            self._began = self._clock.elapsed()
            with _Slicing(self):
                self.returned = self._call()
            self._note()
        except SlicesDropped:
            pass
        except BaseException as error:
            if not self._is_dropped:  # what is raised while it unwinds is nobody's
                self.raised = error
        finally:
            self.is_over = True
            self._hand_back()

    def _hand_back(self) -> None:
        self._back.release()
        self._num_stood += 1

    def _change_over(self) -> None:
        """Let the other thread run until it stands, or is over, in surroundings of its own."""
        with fence():
            here = _ProcessState()
            if self._memory is not None:
                self._memory.enter()
            try:
                if self._surroundings is not None:
                    self._surroundings.restore()
                self._pass_on()
                self._surroundings = None if self.is_over else _ProcessState()
            finally:
                if self._memory is not None:
                    self._memory.leave()
                here.restore_settings()  # the fence has the generators

    def _pass_on(self) -> None:
        if self._thread is None:
            # One that is begun as Ctrl-C comes waits for a lock of its own for ever: nobody knows whether it was begun.
            go, context = threading.Lock(), contextvars.copy_context()
            go.acquire()
            thread = threading.Thread(target=context.run, args=(self._run, go), name="hippo-slices", daemon=True)
            thread.start()
            self._go, self._thread = go, thread
        self._num_gone += 1
        try:
            self._go.release()  # nothing is called between the line above and this: until then no interrupt is heard
            self._back.acquire()
        except BaseException as error:  # Ctrl-C, say: what runs is waited for, so that never two of us compute
            self.interrupt = error
            self._may_run = _never
            while self._num_stood < self._num_gone:
                self._never_set.wait(0.001)
            self._back.acquire(blocking=False)  # if the interrupt came before it was
            raise


class _ProcessState:
    """What is the whole process's, as it is now: generators, and settings, also which kernels attention may use."""

    def __init__(self) -> None:
        self._generators, self._settings = HeldStates(), ProcessSettings()

    def restore(self) -> None:
        self._generators.restore()
        self.restore_settings()

    def restore_settings(self) -> None:
        self._settings.restore()


class _Slicing(TorchFunctionMode):
    """Within it, work stands before each operation until that may run, and before each of a backward pass."""

    def __init__(self, work: SlicedWork) -> None:
        super().__init__()
        self._work = work

    def __torch_function__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        kwargs = kwargs or {}
        if func is torch.autograd.grad:
            for node in _graph(args[0] if args else kwargs["outputs"]):
                # named as torch names it: "AddmmBackward0"; what runs between two of them counts to the first
                node.register_prehook(self._reaching(node.name()))
        if getattr(func, "__name__", "") == "__get__":
            return func(*args, **kwargs)  # an attribute such as `.grad`: not worth a slice
        self._work.reach(getattr(func, "__name__", str(func)))
        result = func(*args, **kwargs)
        if isinstance(result, torch.Tensor):  # else it may be half of a `with torch.no_grad()`, which has to be whole
            self._work.check_memory()
        return result

    def _reaching(self, name: str) -> Callable[[Any], None]:
        def reach(_gradients: Any) -> None:
            self._work.reach(name)
            self._work.check_memory()

        return reach


def _graph(outputs: Any) -> Iterator[Any]:
    """Yield the nodes that a backward pass from here goes through, each once, but for the leaves' own."""
    waiting = [each.grad_fn for each in ([outputs] if isinstance(outputs, torch.Tensor) else outputs)]
    seen = set()
    while waiting:
        node = waiting.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        waiting.extend(child for child, _ in node.next_functions)
        if node.next_functions:
            yield node


def _always(_seconds: float) -> bool:
    return True


def _never(_seconds: float) -> bool:
    return False
