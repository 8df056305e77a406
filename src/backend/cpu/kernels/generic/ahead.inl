// What is read next, asked for line by line while there is something to compute: the
// values of a page while its keys are read, then the keys of the page that follows. Both
// are read in steps that memory does not foresee.
struct Ahead {
  const std::byte* at = nullptr;
  const std::byte* end = nullptr;

  void expect(const std::byte* first, std::int64_t bytes) {
    at = first;
    end = first + bytes;
  }
  void advance(int lines) {
    constexpr int kLine = 64;
    constexpr int kIntoSecondLevel = 2;
    if (at >= end) return;
    for (int line = 0; line < lines; ++line, at += kLine) {
      __builtin_prefetch(at, 0, kIntoSecondLevel);
    }
  }
};
