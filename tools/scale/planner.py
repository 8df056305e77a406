"""How much of which prompt a step computes beside the streams: src/engine/step_planner.cc, whose costs are known here
and need not be learnt."""


class StepPlanner:
    LEAST_ROWS = 16
    ROW_MULTIPLE = 8
    USUAL_STRETCH = 2.0
    MOST_STRETCH = 2.5
    EFFICIENT_ROWS = 64

    def __init__(self, costs):
        self.costs = costs
        self.last_slice = 0
        self.turn = 0

    def plan(self, n_streams, contexts, wanted):
        """Rows for each prompt, of the so many that it has left, the oldest first."""
        rows = self._slice_rows(n_streams, contexts)
        if n_streams and rows:
            self.last_slice = rows
        given = self._share_out(rows, wanted)
        if n_streams:
            self._make_room_for_ends(self._rows_beside_end(n_streams, contexts), wanted, given)
        return given

    def _slice_rows(self, n_streams, contexts):
        room = self.costs.max_rows - n_streams
        if n_streams == 0:
            return room
        alone = self.costs.of_streams(n_streams, contexts)
        rows = self._within((self.USUAL_STRETCH - 1) * alone)
        if rows < self.EFFICIENT_ROWS:
            rows = max(rows, min(self.EFFICIENT_ROWS, self._within((self.MOST_STRETCH - 1) * alone)))
        if self.last_slice:
            rows = min(rows, self.last_slice * 3 // 2)
        else:
            rows = self.LEAST_ROWS
        rows = min(rows, room) // self.ROW_MULTIPLE * self.ROW_MULTIPLE
        return max(rows, min(self.LEAST_ROWS, room))

    def _within(self, seconds):
        return self.costs.rows_within(seconds) if seconds > 0 else 0

    def _share_out(self, rows, wanted):
        given = [0] * len(wanted)
        first = self.turn % len(wanted)
        self.turn += 1
        hungry = sum(w > 0 for w in wanted)
        while rows > 0 and hungry > 0:
            share = max(rows // hungry // self.ROW_MULTIPLE * self.ROW_MULTIPLE, self.LEAST_ROWS)
            for i in range(len(wanted)):
                if rows <= 0:
                    break
                prompt = (first + i) % len(wanted)
                left = wanted[prompt] - given[prompt]
                if left == 0:
                    continue
                part = min(left, share, rows)
                given[prompt] += part
                rows -= part
                hungry -= part == left
        return given

    def _rows_beside_end(self, n_streams, contexts):
        room = (self.MOST_STRETCH - 1) * self.costs.of_streams(n_streams, contexts)
        return self._within(room - self.costs.end_seconds(n_streams))

    def _make_room_for_ends(self, room, wanted, given):
        if sum(given) <= room:
            return
        ends = [g == w for g, w in zip(given, wanted)]
        any_ends = False
        for i, w in enumerate(wanted):
            if not ends[i]:
                continue
            if w <= self.LEAST_ROWS:
                any_ends = True
            else:
                given[i] = w - self.LEAST_ROWS
                ends[i] = False
        if not any_ends:
            return
        left = max(room, self.LEAST_ROWS)
        for ending in (True, False):
            for i in range(len(given)):
                if ends[i] == ending:
                    given[i] = min(given[i], left)
                    left -= given[i]
