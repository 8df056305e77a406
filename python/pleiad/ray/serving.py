"""Replicas behind one address, by Ray Serve."""

from __future__ import annotations

import math
import os
from collections.abc import AsyncGenerator, Mapping, Sequence
from typing import Any

import ray
from pydantic import BaseModel, ConfigDict
from ray import serve
from ray.serve.config import AutoscalingConfig, RequestRouterConfig
from ray.serve.exceptions import (
    BackPressureError,
    DeploymentUnavailableError,
    ReplicaUnavailableError,
    RequestCancelledError,
)
from ray.serve.handle import DeploymentHandle

from .. import _native
from ..server import Setting
from .front import Front, TooManyWait
from .messages import Head, ReplicaGone, Request
from .options import at_least, prefix_router_options, request_error
from .replica import Replica

PREFIX_ROUTER = "pleiad.ray.router.PrefixRouter"
_OURS = {"host", "port", "threads", "parallel"}


@serve.ingress()
class _Ingress:
    """The front as a deployment: it holds the handle of the replicas."""

    def __init__(self, replicas: DeploymentHandle[Replica]) -> None:
        self._replicas = replicas.options(stream=True, method_name="ask")

    def __serve_build_asgi_app__(self) -> Front:
        # Behind HAProxy all callers seem to come from its machine.
        return Front(self._ask, behind_proxy=os.environ.get("RAY_SERVE_ENABLE_HA_PROXY") == "1")

    async def _ask(self, request: Request, names: Sequence[bytes]) -> AsyncGenerator[Head | bytes, None]:
        answer: Any = self._replicas.remote(request, names)
        whole = False
        try:
            async for part in answer:
                yield part
            whole = True
        except ReplicaGone as error:
            raise ReplicaGone(_last_line(error)) from None  # Ray puts the replica's traceback before it
        except (ray.exceptions.RayActorError, ReplicaUnavailableError, RequestCancelledError) as error:
            raise ReplicaGone(f"{type(error).__name__}: {error}".splitlines()[0]) from None
        except (BackPressureError, DeploymentUnavailableError) as error:
            raise TooManyWait(str(error)) from None
        finally:
            if not whole:
                answer.cancel()


def _last_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[-1]


class Options(BaseModel):
    """What application() takes, for Serve's configuration files and `serve run`; fields as of app()."""

    model_config = ConfigDict(extra="forbid")

    models: list[str] | str
    replicas: int = 1
    autoscaling: dict[str, Any] | None = None
    threads: int = 1
    pin: bool = True
    parallel: int = 32
    max_queue: int = 512
    router: str = PREFIX_ROUTER
    router_options: dict[str, Any] = {}
    fronts: int = 1
    grace_seconds: float = 120
    actor_options: dict[str, Any] = {}
    settings: dict[str, Any] = {}


def application(options: Options | Mapping[str, Any]) -> serve.Application:
    """app() for `serve run pleiad.ray:application models=demo replicas=2`, and for configuration files.

    Args:
        options: fields of Options, as they are or as text.

    Raises:
        ValueError: there is no such field, or its value is none of its kind; and as app().
    """
    fields = dict(Options.model_validate(options))
    models, settings = fields.pop("models"), fields.pop("settings")
    return app(*([models] if isinstance(models, str) else models), **fields, **settings)


def app(
    *models: str,
    replicas: int = 1,
    autoscaling: Mapping[str, Any] | None = None,
    threads: int = 1,
    pin: bool = True,
    parallel: int = 32,
    max_queue: int = 512,
    router: str = PREFIX_ROUTER,
    router_options: Mapping[str, Any] | None = None,
    fronts: int = 1,
    grace_seconds: float = 120,
    actor_options: Mapping[str, Any] | None = None,
    **settings: Setting,
) -> serve.Application:
    """An application of Ray Serve: the program's own server, several times, behind one address.

        serve.run(pleiad.ray.app("gemma4:e2b", replicas=4, threads=8))

    Args:
        *models: that every replica loads when it starts: a file, a folder or a name that the node has.
        replicas: how many, where there is no autoscaling.
        autoscaling: fields of Ray's AutoscalingConfig: {"min_replicas": 1, "max_replicas": 8,
            "target_ongoing_requests": 8}. Requests are counted that run and that wait for a replica.
        threads: that each replica computes with; so many CPUs of Ray's it takes.
        pin: keeps the threads of a replica's engine on cores that no other replica has.
        parallel: requests that a replica is given at once; more wait in the front, for whichever is free.
        max_queue: that wait there; more are answered with 503.
        router: PREFIX_ROUTER, or the path of another class of Ray's RequestRouter.
        router_options: of the router; of PREFIX_ROUTER worth_bytes, slack, most_names (pleiad.ray.router).
        fronts: processes that read requests and pass answers on.
        grace_seconds: for which a replica that is to go finishes what it answers.
        actor_options: of the replicas' actors: {"num_cpus": 8, "resources": {...}, "runtime_env": {...}}.
        **settings: as of pleiad.Server: ctx=8192, api_key_file=path, insecure=True.

    Raises:
        RequestError: there is no such setting, or it is not to be set here; a number is out of range; an option of
            PREFIX_ROUTER is wrong.
        ValueError: what Ray does not take.
    """
    known = {name.replace("-", "_") for name in _native.setting_names()} - _OURS
    for name in settings:
        if name not in known:
            raise request_error(name, f"there is no such setting; known are {', '.join(sorted(known))}")
    if not models:
        raise request_error("models", "expected one at least, found none")
    at_least(1, replicas=replicas, threads=threads, parallel=parallel, max_queue=max_queue, fronts=fronts)
    if not 0 <= grace_seconds < math.inf:
        raise request_error("grace_seconds", f"expected zero or more, found {grace_seconds}")
    # A router that cannot begin would let requests wait without an end: Ray makes it with the first of them.
    options = prefix_router_options(router_options or {}) if router == PREFIX_ROUTER else dict(router_options or {})
    actors = {"num_cpus": threads, **(actor_options or {})}
    scale: dict[str, Any] = {"num_replicas": replicas}
    if autoscaling is not None:
        scale = {"autoscaling_config": AutoscalingConfig(**autoscaling)}
    router_class: Any = router
    routing = RequestRouterConfig(request_router_class=router_class, request_router_kwargs=options)
    deployment: Any = serve.deployment
    engines = deployment(Replica).options(
        name="engine",
        ray_actor_options=actors,
        max_ongoing_requests=parallel,
        max_queued_requests=max_queue,
        request_router_config=routing,
        health_check_period_s=5,
        health_check_timeout_s=30,
        graceful_shutdown_wait_loop_s=0.5,
        graceful_shutdown_timeout_s=grace_seconds,
        **scale,
    )
    front = deployment(_Ingress).options(
        name="front",
        num_replicas=fronts,
        ray_actor_options={"num_cpus": 0},
        max_ongoing_requests=parallel * 1024,
        graceful_shutdown_wait_loop_s=0.5,
        graceful_shutdown_timeout_s=grace_seconds,
    )
    # The engine of a replica takes all that it is given.
    texts = {"parallel": parallel, **settings}
    paths = [os.fspath(model) for model in models]
    bound: serve.Application = front.bind(engines.bind(paths, threads, pin, texts))
    return bound


__all__ = ["PREFIX_ROUTER", "Options", "app", "application"]
