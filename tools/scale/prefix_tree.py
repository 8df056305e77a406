"""What a replica's cache holds: a tree of pages, the least recently used leaf forgotten first.

The counterpart of src/engine/prefix_cache.h without the pages themselves.
"""
import heapq
import itertools

from text import PAGE_TOKENS, length

LEAST_BEGINNING = 16  # tokens of a first page that are worth a copy, as in src/engine/kv_memory.cc


class Node:
    __slots__ = ("parent", "key", "children", "beginnings", "used", "holders")

    def __init__(self, parent, key):
        self.parent = parent
        self.key = key
        self.children = {}
        self.beginnings = {}  # of children's keys -> how many of them begin so
        self.used = 0
        self.holders = 0      # sequences whose last cached page it is


class PrefixTree:
    def __init__(self, capacity_pages):
        self.capacity = capacity_pages
        self.root = Node(None, ())
        self.n_pages = 0
        self.n_evicted = 0
        self._clock = itertools.count(1)
        self._leaves = []  # heap of (used, unique number, node); what is no longer true is skipped
        self._numbers = itertools.count()

    def find(self, text, most_tokens):
        """(cached tokens, at most `most_tokens`; the node of the last whole page among them)."""
        node, n_pages = self.root, 0
        for key in text.pages:
            child = node.children.get(key)
            if child is None or (n_pages + 1) * PAGE_TOKENS > most_tokens:
                break
            node, n_pages = child, n_pages + 1
            self._use(node)
        tail = self._tail(node, text.page(n_pages))
        if n_pages == 0 and tail < LEAST_BEGINNING:
            tail = 0
        return min(n_pages * PAGE_TOKENS + tail, most_tokens), node

    @staticmethod
    def _tail(node, key):
        for n_pieces in range(len(key), 0, -1):
            if key[:n_pieces] in node.beginnings:
                return length(key[:n_pieces])
        return 0

    def count(self, text, most_pages):
        """Whole pages of a text that are cached; changes nothing."""
        node, n_pages = self.root, 0
        for key in text.pages[:most_pages]:
            node = node.children.get(key)
            if node is None:
                break
            n_pages += 1
        return n_pages

    def insert(self, parent, key, room):
        """The node of a page behind `parent`; None where nothing can be forgotten for it.

        room: pages that running sequences need beside the tree.
        """
        found = parent.children.get(key)
        if found is None and key in parent.beginnings:
            found = next(child for child in parent.children.values() if child.key[:len(key)] == key)
        if found is not None:
            self._use(found)
            return found
        self.hold(parent)
        try:
            while self.n_pages + room + 1 > self.capacity:
                if not self._evict():
                    return None
        finally:
            self.release(parent)
        return self._add(parent, key)

    def _add(self, parent, key):
        node = Node(parent, key)
        parent.children[key] = node
        for n_pieces in range(1, len(key) + 1):
            beginning = key[:n_pieces]
            parent.beginnings[beginning] = parent.beginnings.get(beginning, 0) + 1
        self.n_pages += 1
        self._use(node)
        for n_pieces in range(1, len(key)):  # a page that ends sooner is needed no more
            shorter = parent.children.get(key[:n_pieces])
            if shorter is not None and not shorter.children and not shorter.holders:
                self._remove(shorter)
        return node

    def hold(self, node):
        node.holders += 1

    def release(self, node):
        node.holders -= 1
        if node is not self.root and not node.children and not node.holders:
            self._offer(node)

    def _use(self, node):
        node.used = next(self._clock)
        if not node.children and not node.holders:
            self._offer(node)

    def _offer(self, node):
        heapq.heappush(self._leaves, (node.used, next(self._numbers), node))
        if len(self._leaves) > 4 * self.n_pages + 64:
            self._leaves = [entry for entry in self._leaves if self._is_current(*entry)]
            heapq.heapify(self._leaves)

    @staticmethod
    def _is_current(used, _number, node):
        return node.used == used and not node.children and not node.holders and node.parent is not None

    def _evict(self):
        while self._leaves:
            entry = heapq.heappop(self._leaves)
            if self._is_current(*entry):
                self._remove(entry[2])
                self.n_evicted += 1
                return True
        return False

    def _remove(self, leaf):
        parent = leaf.parent
        del parent.children[leaf.key]
        for n_pieces in range(1, len(leaf.key) + 1):
            beginning = leaf.key[:n_pieces]
            parent.beginnings[beginning] -= 1
            if not parent.beginnings[beginning]:
                del parent.beginnings[beginning]
        leaf.parent = None
        self.n_pages -= 1
        if parent is not self.root and not parent.children and not parent.holders:
            self._offer(parent)
