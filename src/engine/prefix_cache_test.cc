#include "engine/prefix_cache.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <set>

#include "backend/cpu/cpu_backend.h"
#include "base/testing/sanitizers.h"
#include "engine/testing/fake_towers.h"

namespace pleiad {
namespace {

using Tokens = std::vector<text::TokenId>;
using Found = std::pair<std::size_t, std::int64_t>;  // pages, and tokens

class PrefixCacheTest : public ::testing::Test {
 protected:
  static constexpr std::int64_t kPage = 2;
  CacheScope scope_{7};  // of what is computed and looked for

  // A sliding group and a full one, pages of two positions.
  cpu::CpuBackend backend_{{.isa = "scalar", .n_threads = 1, .max_rows = 4}};
  KvCache cache_{backend_, {{1, 16, 5}, {1, 16, 0}}, {KvType::f32, static_cast<int>(kPage)}};
  PrefixCache prefixes_{kPage};

  /// Goes on with what is cached of the prompt, and keeps the rest.
  std::unique_ptr<KvSequence> compute(const Tokens& prompt, std::int64_t chunk = 1) {
    auto sequence = std::make_unique<KvSequence>(cache_);
    const auto n = static_cast<std::int64_t>(prompt.size());
    sequence->adopt(prefixes_.find(scope_, prompt, n - 1).blocks);
    for (std::int64_t at = sequence->length(); at < n; at = sequence->length()) {
      const std::int64_t part = std::min(chunk, n - at);
      sequence->reserve(part);
      sequence->advance(part);
      for (std::int64_t page = at / kPage; page < (at + part) / kPage; ++page) {
        EXPECT_TRUE(prefixes_.insert(scope_, prompt, page, [&] { return sequence->share(page); }));
      }
    }
    return sequence;
  }
};

TEST_F(PrefixCacheTest, FindsTheLongestBeginningInWholePages) {
  compute({1, 2, 3, 4, 5, 6, 7});
  EXPECT_EQ(prefixes_.n_pages(), 3U);
  EXPECT_EQ(prefixes_.find(scope_, Tokens{1, 2, 3, 4, 5, 6, 7}, 9).blocks.size(), 3U);
  EXPECT_EQ(prefixes_.find(scope_, Tokens{1, 2, 3, 4, 5, 9, 7}, 9).blocks.size(), 2U);
  EXPECT_EQ(prefixes_.find(scope_, Tokens{1, 2, 3}, 9).blocks.size(), 1U);
  EXPECT_EQ(prefixes_.find(scope_, Tokens{9, 2, 3, 4}, 9).blocks.size(), 0U);
  EXPECT_EQ(prefixes_.find(scope_, Tokens{1, 2, 3, 4, 5, 6}, 3).blocks.size(), 1U)
      << "no more are wanted";
  EXPECT_EQ(prefixes_.count(scope_, Tokens{1, 2, 3, 4, 5, 6}, 9), 3);
  EXPECT_EQ(prefixes_.count(scope_, Tokens{1, 2, 3, 4, 5, 6}, 2), 2);
}

TEST_F(PrefixCacheTest, OfThePageOnWhichTextsPartGivesWhatTheyShare) {
  const auto sequence = compute({1, 2, 3, 4, 5, 6});
  const auto tail = [&](const Tokens& prompt, std::int64_t most) {
    const auto match = prefixes_.find(scope_, prompt, most);
    EXPECT_EQ(match.tail != nullptr, match.tail_tokens > 0);
    return std::pair(match.blocks.size(), match.tail_tokens);
  };
  EXPECT_EQ(tail({1, 2, 3, 9, 5}, 9), Found(1, 1));
  EXPECT_EQ(tail({1, 2, 9, 4, 5}, 9), Found(1, 0));
  EXPECT_EQ(tail({1, 2, 3}, 9), Found(1, 1));
  EXPECT_EQ(tail({1, 9}, 9), Found(0, 1));
  EXPECT_EQ(tail({1, 2, 3, 4, 5, 6}, 5), Found(2, 1)) << "no more are wanted";
  EXPECT_EQ(tail({1, 2, 3, 4, 5, 6}, 4), Found(2, 0));
  EXPECT_EQ(tail({1, 2, 3, 9}, 2), Found(1, 0));
  EXPECT_EQ(tail({1, 2}, 0), Found(0, 0));
}

// A text of five tokens ends in the middle of its third page.
TEST_F(PrefixCacheTest, KeepsThePageOnWhichATextEndsUntilOneThatHasMore) {
  const auto keep_end = [&](const Tokens& text) {
    const auto sequence = compute(text);
    const std::int64_t page = std::ssize(text) / kPage;
    EXPECT_TRUE(prefixes_.insert(scope_, text, page, [&] { return sequence->share_end(page); }));
  };
  keep_end({1, 2, 3, 4, 5});
  EXPECT_EQ(prefixes_.n_pages(), 3U);
  EXPECT_EQ(prefixes_.count(scope_, Tokens{1, 2, 3, 4, 5}, 9), 2) << "no whole page";
  auto match = prefixes_.find(scope_, Tokens{1, 2, 3, 4, 5, 6}, 9);
  EXPECT_EQ(match.blocks.size(), 2U);
  EXPECT_EQ(match.tail_tokens, 1);
  EXPECT_EQ(match.common_tokens, 5);
  EXPECT_TRUE(match.next.empty());
  keep_end({1, 2, 3, 4, 5});
  EXPECT_EQ(prefixes_.n_pages(), 3U) << "it is there";
  compute({1, 2, 3, 4, 5, 6});
  EXPECT_EQ(prefixes_.n_pages(), 3U) << "the whole page takes its place";
  keep_end({1, 2, 3, 4, 5});
  EXPECT_EQ(prefixes_.n_pages(), 3U) << "the whole page has it";
  keep_end({1, 2, 3, 4, 7});
  EXPECT_EQ(prefixes_.n_pages(), 4U);
  match = prefixes_.find(scope_, Tokens{1, 2, 3, 4, 7, 6}, 9);
  EXPECT_EQ(match.blocks.size(), 2U);
  EXPECT_EQ(match.tail_tokens, 1);
  while (prefixes_.evict()) {
  }
  EXPECT_EQ(cache_.used_bytes(), 0U);
}

TEST_F(PrefixCacheTest, SaysWhereTheNearestPromptGoesAnotherWay) {
  compute({1, 2, 3, 4});
  compute({1, 2, 5, 6});
  compute({1, 2, 5, 8});
  const auto near = prefixes_.find(scope_, Tokens{1, 2, 5, 7}, 9);
  EXPECT_EQ(near.common_tokens, 3);
  ASSERT_EQ(near.next.size(), 1U);
  EXPECT_TRUE(near.next[0] == 6 || near.next[0] == 8);
  const auto whole = prefixes_.find(scope_, Tokens{1, 2, 3, 4, 9}, 9);
  EXPECT_EQ(whole.common_tokens, 4);
  EXPECT_TRUE(whole.next.empty());
  const auto longer = prefixes_.find(scope_, Tokens{1, 2}, 0);
  EXPECT_EQ(longer.common_tokens, 2) << "as far as it agrees, whatever is wanted";
  EXPECT_EQ(longer.next.size(), 2U);
  EXPECT_EQ(prefixes_.find(scope_, Tokens{7, 7}, 9).common_tokens, 0);
}

// Placeholders are the same tokens whatever they stand for.
TEST_F(PrefixCacheTest, PagesAreKnownByThePicturesThatStandOnThem) {
  using testing_support::some_picture;
  const Tokens tokens = {1, 7, 7, 7, 7, 7, 2, 3};
  const auto shown = [&](std::uint8_t number, std::int64_t first = 1) {
    return std::vector<PromptMedia>{{first, 5, some_picture(number, 5)}};
  };
  const auto keep = [&](const std::vector<PromptMedia>& media) {
    KvSequence sequence(cache_);
    sequence.reserve(8);
    sequence.advance(8);
    for (std::int64_t page = 0; page < 4; ++page) {
      prefixes_.insert(scope_, {tokens, media}, page, [&] { return sequence.share(page); });
    }
  };
  const auto found = [&](const std::vector<PromptMedia>& media) {
    const auto match = prefixes_.find(scope_, {tokens, media}, 9);
    EXPECT_EQ(std::ssize(match.blocks), prefixes_.count(scope_, {tokens, media}, 9));
    EXPECT_EQ(match.common_tokens / kPage, std::ssize(match.blocks));
    return std::pair(match.blocks.size(), match.common_tokens);
  };
  keep(shown(1));
  EXPECT_EQ(found(shown(1)), Found(4, 8));
  EXPECT_EQ(found(shown(2)), Found(0, 1));
  EXPECT_EQ(found({}), Found(0, 1));
  EXPECT_EQ(found(shown(1, 0)), Found(0, 0)) << "the same picture a place earlier";
  keep(shown(2));
  EXPECT_EQ(found(shown(1)), Found(4, 8));
  EXPECT_EQ(found(shown(2)), Found(4, 8));
  EXPECT_EQ(found(shown(3)), Found(0, 1));
}

TEST_F(PrefixCacheTest, AScopeFindsItsOwnPromptsAlone) {
  const CacheScope other{8};
  compute({1, 2, 3, 4});
  for (const std::int64_t wanted : {0, 9}) {
    const auto match = prefixes_.find(other, Tokens{1, 2, 3, 4, 5}, wanted);
    EXPECT_EQ(match.blocks.size(), 0U);
    EXPECT_EQ(match.common_tokens, 0);
    EXPECT_TRUE(match.next.empty());
  }
  EXPECT_EQ(prefixes_.count(other, Tokens{1, 2, 3, 4}, 9), 0);
  EXPECT_EQ(prefixes_.n_scopes(), 1U) << "looking leaves nothing behind";
  scope_ = other;
  const auto second = compute({1, 2, 3, 4, 5, 6});
  EXPECT_EQ(prefixes_.n_pages(), 5U);
  EXPECT_EQ(prefixes_.n_scopes(), 2U);
  EXPECT_EQ(prefixes_.count(other, Tokens{1, 2, 3, 4, 5, 6}, 9), 3);
  EXPECT_EQ(prefixes_.count(CacheScope{7}, Tokens{1, 2, 3, 4, 5, 6}, 9), 2);
  prefixes_.clear();
  EXPECT_EQ(prefixes_.n_scopes(), 1U);
  EXPECT_EQ(prefixes_.count(CacheScope{7}, Tokens{1, 2, 3, 4}, 9), 0);
}

TEST_F(PrefixCacheTest, AScopesSearchesKeepNothingOfAnotherFromGoing) {
  compute({1, 2});
  compute({3, 4});
  prefixes_.find(CacheScope{8}, Tokens{1, 2}, 9);
  EXPECT_TRUE(prefixes_.evict());
  EXPECT_EQ(prefixes_.count(scope_, Tokens{1, 2}, 9), 0) << "the older one went";
  EXPECT_EQ(prefixes_.count(scope_, Tokens{3, 4}, 9), 1);
}

TEST_F(PrefixCacheTest, WhatMissesItsBeginningIsNotKept) {
  const auto sequence = compute({1, 2, 3, 4, 5, 6});
  while (prefixes_.evict()) {
  }
  EXPECT_FALSE(
      prefixes_.insert(scope_, Tokens{1, 2, 3, 4, 5, 6}, 2, [&] { return sequence->share(2); }));
  EXPECT_EQ(prefixes_.n_pages(), 0U);
}

TEST_F(PrefixCacheTest, WhatSequencesHoldGoesLast) {
  const auto held = compute({1, 2, 3, 4});
  compute({5, 6, 7, 8});
  prefixes_.find(scope_, Tokens{5, 6, 7, 8}, 9);
  EXPECT_TRUE(prefixes_.evict());
  EXPECT_TRUE(prefixes_.evict());
  EXPECT_EQ(prefixes_.count(scope_, Tokens{1, 2, 3, 4}, 9), 2);
  EXPECT_EQ(prefixes_.count(scope_, Tokens{5, 6, 7, 8}, 9), 0);
  const std::uint64_t used = cache_.used_bytes();
  EXPECT_TRUE(prefixes_.evict());
  EXPECT_EQ(cache_.used_bytes(), used) << "the sequence still has its pages";
  EXPECT_NE(held->pages(1)[1], nullptr);
}

TEST_F(PrefixCacheTest, ClearingKeepsWhatIsInUse) {
  const auto held = compute({1, 2, 3, 4});
  compute({1, 2, 5, 6, 7, 8});
  prefixes_.clear();
  EXPECT_EQ(prefixes_.n_pages(), 2U);
  EXPECT_EQ(prefixes_.count(scope_, Tokens{1, 2, 3, 4}, 9), 2);
}

// What the tree should hold, kept in the plainest way.
struct Model {
  struct Page {
    std::vector<const std::byte*> memory;  // by group
    std::uint64_t used = 0;
  };
  std::map<Tokens, Page> pages;  // by the scope and all tokens up to the page's end
  std::uint64_t clock = 0;

  static Tokens beginning(CacheScope scope, const Tokens& prompt, std::int64_t n_tokens) {
    Tokens key = {static_cast<text::TokenId>(scope)};
    key.insert(key.end(), prompt.begin(), prompt.begin() + n_tokens);
    return key;
  }
  bool is_leaf(const Tokens& key) const {
    return std::none_of(pages.begin(), pages.end(), [&](const auto& other) {
      return other.first.size() > key.size() &&
             std::equal(key.begin(), key.end(), other.first.begin());
    });
  }
  void evict(const std::set<const std::byte*>& held) {
    const auto in_use = [&](const Page& page) {
      return std::any_of(page.memory.begin(), page.memory.end(),
                         [&](const std::byte* memory) { return held.count(memory) > 0; });
    };
    auto best = pages.end();
    for (auto at = pages.begin(); at != pages.end(); ++at) {
      if (!is_leaf(at->first)) continue;
      const auto rank = [&](const auto& entry) {
        return std::pair(in_use(entry.second), entry.second.used);
      };
      if (best == pages.end() || rank(*at) < rank(*best)) best = at;
    }
    if (best != pages.end()) pages.erase(best);
  }
};

class RandomPrefixes : public PrefixCacheTest {
 protected:
  std::set<const std::byte*> held() const {
    std::set<const std::byte*> all;
    for (const auto& sequence : sequences_) {
      for (const std::size_t group : {0U, 1U}) {
        for (const std::byte* page : sequence->pages(group)) {
          if (page) all.insert(page);
        }
      }
    }
    return all;
  }

  Tokens beginning(const Tokens& prompt, std::int64_t n_pages) const {
    return Model::beginning(scope_, prompt, n_pages * kPage);
  }

  /// The page that agrees in its first token with what follows `n_pages` of the prompt, the one
  /// that agrees in both first: it was found, and is younger for it.
  void use_tail(const Tokens& prompt, std::int64_t n_pages) {
    const auto at = static_cast<std::size_t>(n_pages * kPage);
    if (prompt.size() <= at + 1) return;
    for (const text::TokenId second : {prompt[at + 1], 1 - prompt[at + 1]}) {
      Tokens page = beginning(prompt, n_pages);
      page.insert(page.end(), {prompt[at], second});
      const auto found = model_.pages.find(page);
      if (found == model_.pages.end()) continue;
      found->second.used = ++model_.clock;
      return;
    }
  }

  void compute_and_compare(const Tokens& prompt, std::int64_t chunk) {
    const auto most = static_cast<std::int64_t>(prompt.size() - 1) / kPage;
    std::int64_t expected = 0;
    while (expected < most && model_.pages.count(beginning(prompt, expected + 1))) {
      model_.pages[beginning(prompt, ++expected)].used = ++model_.clock;
    }
    use_tail(prompt, expected);
    const std::int64_t n_before = static_cast<std::int64_t>(prefixes_.n_pages());
    EXPECT_EQ(prefixes_.count(scope_, prompt, most), expected);
    sequences_.push_back(std::make_unique<KvSequence>(cache_));
    KvSequence& sequence = *sequences_.back();
    sequence.adopt(prefixes_.find(scope_, prompt, std::ssize(prompt) - 1).blocks);
    ASSERT_EQ(sequence.length(), expected * kPage);
    for (std::int64_t page = 0; page < expected; ++page) {
      const auto& known = model_.pages[beginning(prompt, page + 1)].memory;
      for (const std::size_t group : {0U, 1U}) {
        const std::byte* found = sequence.pages(group)[static_cast<std::size_t>(page)];
        if (found || group == 1) {
          EXPECT_EQ(found, known[group]) << "page " << page;
        }
      }
    }
    keep_rest(sequence, prompt, chunk);
    EXPECT_GE(static_cast<std::int64_t>(prefixes_.n_pages()), n_before);
  }

  void keep_rest(KvSequence& sequence, const Tokens& prompt, std::int64_t chunk) {
    const auto n = static_cast<std::int64_t>(prompt.size());
    for (std::int64_t at = sequence.length(); at < n; at = sequence.length()) {
      const std::int64_t part = std::min(chunk, n - at);
      sequence.reserve(part);
      sequence.advance(part);
      for (std::int64_t page = at / kPage; page < (at + part) / kPage; ++page) {
        ASSERT_TRUE(prefixes_.insert(scope_, prompt, page, [&] { return sequence.share(page); }));
        auto& known = model_.pages[beginning(prompt, page + 1)];
        known.used = ++model_.clock;
        if (!known.memory.empty()) continue;  // was there: the cache keeps the first one
        for (const std::size_t group : {0U, 1U}) {
          known.memory.push_back(sequence.pages(group)[static_cast<std::size_t>(page)]);
        }
      }
    }
  }

  void compare() {
    ASSERT_EQ(prefixes_.n_pages(), model_.pages.size());
    std::set<const std::byte*> used = held();
    for (const auto& [tokens, page] : model_.pages) {
      const auto prompt = std::span(tokens).subspan(1);
      ASSERT_EQ(prefixes_.count(CacheScope(tokens[0]), prompt, 100),
                static_cast<std::int64_t>(prompt.size()) / kPage);
      used.insert(page.memory.begin(), page.memory.end());
    }
    // Both groups have pages of the same size.
    ASSERT_EQ(cache_.used_bytes(), used.size() * 2 * cache_.layout(0).block_bytes());
    ASSERT_EQ(cache_.block_bytes(), model_.pages.size() * 4 * cache_.layout(0).block_bytes());
  }

  Model model_;
  std::vector<std::unique_ptr<KvSequence>> sequences_;
};

TEST_F(RandomPrefixes, BehaveAsAPlainListOfPagesDoes) {
  std::mt19937 random(7);
  const auto below = [&](std::uint32_t n) { return static_cast<int>(random() % n); };
  for (int round = 0; round < unless_sanitized(2000, 400); ++round) {
    const int action = below(10);
    if (action < 5) {
      Tokens prompt(static_cast<std::size_t>(1 + below(12)));
      for (text::TokenId& token : prompt) token = below(2);
      scope_ = CacheScope(below(2));
      compute_and_compare(prompt, 1 + below(6));
      if (sequences_.size() > 3) sequences_.erase(sequences_.begin() + below(4));
    } else if (action == 5 && !sequences_.empty()) {
      sequences_.erase(sequences_.begin() + below(static_cast<std::uint32_t>(sequences_.size())));
    } else {
      EXPECT_EQ(prefixes_.evict(), !model_.pages.empty());
      model_.evict(held());
    }
    compare();
    if (HasFatalFailure()) FAIL() << "round " << round;
  }
  sequences_.clear();
  while (prefixes_.evict()) {
  }
  EXPECT_EQ(cache_.used_bytes(), 0U);
  EXPECT_EQ(prefixes_.n_scopes(), 0U);
}

}  // namespace
}  // namespace pleiad
