"""Where a request goes: Ray Serve's interface to pleiad.ray.prefixes."""

from __future__ import annotations

from typing import Any

from ray.serve.request_router import PendingRequest, ReplicaID, RequestRouter, RunningReplica

from .options import prefix_router_options
from .prefixes import PrefixIndex


def _names(request: PendingRequest | None) -> tuple[bytes, ...]:
    """Of the blocks of a request to Replica.ask(), its second argument."""
    if request is None or len(request.args) < 2:
        return ()
    names: tuple[bytes, ...] = request.args[1]
    return names


class PrefixRouter(RequestRouter):
    """Sends a request where its beginning was computed before, unless that replica has too many others.

    request_router_kwargs:
        worth_bytes: so many bytes of a beginning weigh as much as one request that a replica has (2048).
        slack: so many requests more than the least loaded replica one may have and still be preferred (8).
        most_names: blocks of 256 bytes that are remembered (262,144).
    """

    def initialize_state(self, **given: Any) -> None:
        options = prefix_router_options(given)
        self._worth_bytes = options["worth_bytes"]
        self._slack = options["slack"]
        self._index: PrefixIndex[ReplicaID] = PrefixIndex(options["most_names"])
        self._running: dict[ReplicaID, int] = {}

    def _load(self, replica: RunningReplica) -> int:
        """Requests that a replica has: of all routers, as it said last, and of this one."""
        told = self.replica_queue_len_cache.get(replica.replica_id)
        return max(told or 0, self._running.get(replica.replica_id, 0))

    async def choose_replicas(
        self, candidate_replicas: list[RunningReplica], pending_request: PendingRequest | None = None
    ) -> list[list[RunningReplica]]:
        """One rank for each replica, the one to ask first. Called again and again while all are full."""
        first = False
        if pending_request is not None:
            context = pending_request.routing_context
            first, context.should_backoff = not context.should_backoff, True  # when all of them are full
        by_id = {replica.replica_id: replica for replica in candidate_replicas}
        loads = {replica_id: self._load(replica) for replica_id, replica in by_id.items()}
        names = _names(pending_request)
        ranked = self._index.rank(names, loads, self._worth_bytes, self._slack)
        if first and ranked and loads[ranked[0]] < by_id[ranked[0]].max_ongoing_requests:
            self._index.add(names, ranked[0])  # now, for those with the same beginning that come at once
        return [[by_id[replica_id]] for replica_id in ranked]

    def on_request_routed(self, pending_request: PendingRequest, replica_id: ReplicaID, result: Any) -> None:
        self._index.add(_names(pending_request), replica_id)

    def on_send_request(self, replica_id: ReplicaID) -> None:
        super().on_send_request(replica_id)
        self._running[replica_id] = self._running.get(replica_id, 0) + 1

    def on_request_completed(self, replica_id: ReplicaID, internal_request_id: str) -> None:
        super().on_request_completed(replica_id, internal_request_id)
        left = self._running.get(replica_id, 0) - 1
        if left > 0:
            self._running[replica_id] = left
        else:
            self._running.pop(replica_id, None)

    def on_replica_actor_died(self, replica_id: ReplicaID) -> None:
        super().on_replica_actor_died(replica_id)
        self._forget(replica_id)

    def update_replicas(self, replicas: list[RunningReplica]) -> None:
        gone = set(self.curr_replicas) - {replica.replica_id for replica in replicas}
        super().update_replicas(replicas)
        for replica_id in gone:
            self._forget(replica_id)

    def _forget(self, replica_id: ReplicaID) -> None:
        self._index.remove(replica_id)
        self._running.pop(replica_id, None)


__all__ = ["PrefixRouter"]
