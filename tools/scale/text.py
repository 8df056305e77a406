"""Texts as the cache of a replica sees them: pages of 64 tokens, equal where the same was said.

A text is a row of segments (a system prompt, a question, an answer). Who shares a beginning shares segments, so that no
token needs to be made up to compare two texts.
"""
PAGE_TOKENS = 64  # as in src/model/kv_cache.h


class Text:
    """Grows at its end.

    pages: keys of whole pages, each a tuple of (segment, first token of it, tokens)
    rest: the key of the page on which the text ends, () where it ends with a page
    chains: of each whole page a number that tells all of the text up to its end
    """

    def __init__(self):
        self.segments = []
        self.n_tokens = 0
        self.pages = []
        self.chains = []
        self.rest = ()

    def append(self, segment, n_tokens):
        """`segment`: a whole number that stands for this content wherever it is said; n_tokens >= 0."""
        self.segments.append((segment, n_tokens))
        done = 0
        while done < n_tokens:
            room = PAGE_TOKENS - self.n_tokens % PAGE_TOKENS
            taken = min(room, n_tokens - done)
            self.rest += ((segment, done, taken),)
            done += taken
            self.n_tokens += taken
            if taken == room:
                self._close_page()

    def _close_page(self):
        before = self.chains[-1] if self.chains else 0
        self.chains.append(hash((before, self.rest)))
        self.pages.append(self.rest)
        self.rest = ()

    def page(self, index):
        """The key of a page, or of what there is of it."""
        return self.pages[index] if index < len(self.pages) else self.rest

    def copy(self):
        other = Text()
        other.segments = list(self.segments)
        other.n_tokens = self.n_tokens
        other.pages = list(self.pages)
        other.chains = list(self.chains)
        other.rest = self.rest
        return other


def length(key):
    """Tokens of a page, or of the beginning of one."""
    return sum(piece[2] for piece in key)


def shared_pages(chains, others):
    """Whole pages that two texts begin with, by their chains."""
    low, high = 0, min(len(chains), len(others))
    while low < high:
        middle = (low + high + 1) // 2
        if chains[middle - 1] == others[middle - 1]:
            low = middle
        else:
            high = middle - 1
    return low
