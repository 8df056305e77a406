#include "text/bpe.h"

#include <algorithm>
#include <queue>

#include "base/error.h"
#include "base/text_format.h"
#include "base/utf8.h"
#include "text/space_mark.h"
#include "text/unicode.h"

namespace pleiad::text {
namespace {

constexpr char32_t kSpaceMarkCharacter = 0x2581;

constexpr std::size_t kMergeBatch = 32;

/// Positions inside a run are 32 bits wide.
constexpr std::size_t kMaxText = std::size_t{1} << 30;

/// Runs up to this length are merged by searching the lowest rank each time:
/// a word is short, and an array beats a heap.
constexpr std::size_t kShortRun = 40;

bool can_merge(const Vocabulary& vocabulary, TokenId id) {
  const PieceKind kind = vocabulary.kind(id);
  return !is_control(kind) && kind != PieceKind::byte;
}

/// The number of merges, when it is one that a MergeTable can hold.
std::size_t checked_merge_count(const TokenizerSpec& spec) {
  if (spec.merges.size() < MergeTable::kNoMerge) return spec.merges.size();
  throw LoadError("{}: {} merges; fewer than {} are supported", spec.source,
                  format_count(spec.merges.size()), format_count(MergeTable::kNoMerge));
}

}  // namespace

struct Bpe::Scratch {
  struct Symbol {
    TokenId id;
    std::int32_t previous;
    std::int32_t next;
    MergeTable::Rank rank;  // of joining it with the next one
  };
  std::vector<TokenId> run;
  std::vector<Symbol> symbols;
  std::vector<std::uint64_t> queue;
};

Bpe::Bpe(const Vocabulary& vocabulary, const TokenizerSpec& spec)
    : vocabulary_(vocabulary), merges_(checked_merge_count(spec)) {
  for (std::size_t rank = 0; rank < spec.merges.size(); rank += kMergeBatch) {
    add_merges(spec, rank, std::min(kMergeBatch, spec.merges.size() - rank));
  }
  const auto own_piece = [&](std::string_view character) {
    const TokenId id = vocabulary.find(character);
    return id >= 0 && is_control(vocabulary.kind(id)) ? -1 : id;
  };
  for (int character = 0; character < 128; ++character) {
    const char byte = static_cast<char>(character);
    ascii_.push_back(own_piece({&byte, 1}));
  }
  space_ = own_piece(kSpaceMark);
}

void Bpe::add_merges(const TokenizerSpec& spec, std::size_t first_rank, std::size_t count) {
  std::string joined;  // all results of the batch
  for (std::size_t i = 0; i < count; ++i) {
    const Merge& merge = spec.merges[first_rank + i];
    joined.append(merge.left).append(merge.right);
  }
  std::string_view texts[3 * kMergeBatch];  // left, right and result of each
  TokenId ids[3 * kMergeBatch];
  for (std::size_t i = 0, at = 0; i < count; ++i) {
    const Merge& merge = spec.merges[first_rank + i];
    const std::size_t size = merge.left.size() + merge.right.size();
    texts[3 * i] = merge.left;
    texts[3 * i + 1] = merge.right;
    texts[3 * i + 2] = std::string_view(joined).substr(at, size);
    at += size;
  }
  vocabulary_.find_many({texts, 3 * count}, {ids, 3 * count});
  for (std::size_t i = 0; i < 3 * count; ++i) {
    if (ids[i] >= 0) continue;
    const std::size_t rank = first_rank + i / 3;
    throw LoadError("{}: merge {} ('{}' with '{}'): '{}' is not a piece of the vocabulary",
                    spec.source, rank, printable(spec.merges[rank].left),
                    printable(spec.merges[rank].right), printable(texts[i]));
  }
  for (std::size_t i = 0; i < count; ++i) merges_.prefetch(ids[3 * i], ids[3 * i + 1]);
  for (std::size_t i = 0; i < count; ++i) {
    const TokenId* id = ids + 3 * i;
    if (!std::all_of(id, id + 3, [&](TokenId piece) { return can_merge(vocabulary_, piece); })) {
      continue;
    }
    merges_.insert(id[0], id[1], static_cast<MergeTable::Rank>(first_rank + i), id[2]);
    joins_.allow(last_character(texts[3 * i]), first_character(texts[3 * i + 1]));
  }
}

bool Bpe::encode(std::string_view text, EncodedPieces& out) const {
  if (text.size() > kMaxText) {
    throw Error("a text of {} is too long to encode", format_bytes(text.size()));
  }
  Scratch scratch;
  char32_t previous = 0;
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    const std::string_view spelled = text.substr(0, std::max<std::size_t>(length, 1));
    text.remove_prefix(spelled.size());
    const char32_t character = spelled[0] == ' ' ? kSpaceMarkCharacter : first_character(spelled);
    const TokenId piece = length == 0 ? -1 : piece_of(character, spelled);
    const bool joins = piece >= 0 && !scratch.run.empty() && joins_.may_join(previous, character);
    if (!joins && !merge_run(scratch, out)) return false;
    previous = character;
    if (piece >= 0) {
      scratch.run.push_back(piece);
      if (!out.has_room_for_run(scratch.run.size())) return false;
      continue;
    }
    const std::string_view bytes = spelled[0] == ' ' ? kSpaceMark : spelled;
    for (const char byte : bytes) {
      out.push_back(vocabulary_.byte_piece(static_cast<std::uint8_t>(byte)));
    }
  }
  return merge_run(scratch, out);
}

bool Bpe::may_join(char32_t left, char32_t right) const {
  const auto marked = [](char32_t c) { return c == U' ' ? kSpaceMarkCharacter : c; };
  return joins_.may_join(marked(left), marked(right));
}

TokenId Bpe::piece_of(char32_t character, std::string_view spelled) const {
  if (character < 128) return ascii_[character];
  if (character == kSpaceMarkCharacter) return space_;
  const TokenId id = vocabulary_.find(spelled);
  return id >= 0 && is_control(vocabulary_.kind(id)) ? -1 : id;
}

bool Bpe::merge_run(Scratch& scratch, EncodedPieces& out) const {
  if (scratch.run.size() <= kShortRun) {
    merge_short(scratch.run, out.tokens());
  } else {
    merge_long(scratch, out.tokens());
  }
  scratch.run.clear();
  return out.may_go_on();
}

void Bpe::merge_short(std::vector<TokenId>& symbols, std::vector<TokenId>& out) const {
  std::size_t count = symbols.size();
  MergeTable::Rank ranks[kShortRun];  // ranks[i]: of joining i with i + 1
  for (std::size_t i = 0; i + 1 < count; ++i) ranks[i] = merges_.rank(symbols[i], symbols[i + 1]);
  while (count > 1) {
    const std::size_t at = std::min_element(ranks, ranks + count - 1) - ranks;
    if (ranks[at] == MergeTable::kNoMerge) break;
    symbols[at] = merges_.joined(ranks[at]);
    std::copy(symbols.begin() + at + 2, symbols.begin() + count, symbols.begin() + at + 1);
    std::copy(ranks + at + 1, ranks + count - 1, ranks + at);
    --count;
    if (at + 1 < count) ranks[at] = merges_.rank(symbols[at], symbols[at + 1]);
    if (at > 0) ranks[at - 1] = merges_.rank(symbols[at - 1], symbols[at]);
  }
  out.insert(out.end(), symbols.begin(), symbols.begin() + count);
}

void Bpe::merge_long(Scratch& scratch, std::vector<TokenId>& out) const {
  // The queue holds rank and position in one number: the smallest is the lowest
  // rank, leftmost. An entry is stale when the symbol's rank has moved on.
  constexpr int kPositionBits = 40;
  auto& symbols = scratch.symbols;
  auto& queue = scratch.queue;
  const auto count = static_cast<std::int32_t>(scratch.run.size());
  symbols.resize(scratch.run.size());
  queue.clear();
  const auto entry = [&](std::int32_t at) {
    return static_cast<std::uint64_t>(symbols[at].rank) << kPositionBits |
           static_cast<std::uint64_t>(at);
  };
  for (std::int32_t i = 0; i < count; ++i) {
    const bool last = i + 1 == count;
    const TokenId id = scratch.run[i];
    symbols[i] = {id, i - 1, last ? -1 : i + 1,
                  last ? MergeTable::kNoMerge : merges_.rank(id, scratch.run[i + 1])};
    if (symbols[i].rank != MergeTable::kNoMerge) queue.push_back(entry(i));
  }
  const std::greater<> later;
  std::make_heap(queue.begin(), queue.end(), later);
  const auto refresh = [&](std::int32_t at) {
    Scratch::Symbol& symbol = symbols[at];
    symbol.rank =
        symbol.next < 0 ? MergeTable::kNoMerge : merges_.rank(symbol.id, symbols[symbol.next].id);
    if (symbol.rank == MergeTable::kNoMerge) return;
    queue.push_back(entry(at));
    std::push_heap(queue.begin(), queue.end(), later);
  };
  while (!queue.empty()) {
    std::pop_heap(queue.begin(), queue.end(), later);
    const std::uint64_t top = queue.back();
    queue.pop_back();
    const auto at = static_cast<std::int32_t>(top & ((std::uint64_t{1} << kPositionBits) - 1));
    Scratch::Symbol& symbol = symbols[at];
    if (symbol.rank != top >> kPositionBits) continue;
    symbol.id = merges_.joined(symbol.rank);
    symbols[symbol.next].rank = MergeTable::kNoMerge;  // it is gone
    symbol.next = symbols[symbol.next].next;
    if (symbol.next >= 0) symbols[symbol.next].previous = at;
    refresh(at);
    if (symbol.previous >= 0) refresh(symbol.previous);
  }
  for (std::int32_t at = 0; at >= 0; at = symbols[at].next) out.push_back(symbols[at].id);
}

}  // namespace pleiad::text
