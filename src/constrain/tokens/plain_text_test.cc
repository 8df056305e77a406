// How plain text leads on from sets that are made by hand.

#include "constrain/tokens/plain_text.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

namespace pleiad::constrain {
namespace {

constexpr KindSet kOfNames = KindSet{1} << kSmallLetterKind;
constexpr KindSet kOfNumbers = KindSet{1} << 2U;

class Sets final : public ReadSets {
 public:
  Sets() : ReadSets(0) {}
  Id add(KindSet behind_end = 0) {
    add_set({.behind_end = behind_end}, ReadMemory());
    return n_++;
  }
  void lead(Id from, std::string_view characters, Id to) {
    for (const char c : characters) after_[{from, symbol_of(c)}] = to;
  }

  bool has_room() const override { return true; }
  void spend_walk(std::uint64_t) override {}

 private:
  Id find_after(Id from, Symbol symbol) override {
    const auto found = after_.find({from, symbol});
    return found == after_.end() ? kDead : found->second;
  }

  Id n_ = 0;
  std::map<std::pair<Id, Symbol>, Id> after_;
};

TEST(PlainText, IsFollowedAsLongAsItsKindsLeadToOnePlace) {
  // Two characters, a mark, a letter, where the text may end, and another one.
  Sets sets;
  const auto start = sets.add();
  const auto one = sets.add();
  const auto two = sets.add();
  const auto marked = sets.add();
  const auto ended = sets.add(kOfNames);
  const auto last = sets.add();
  for (const std::size_t kind : {std::size_t{kSmallLetterKind}, std::size_t{2}}) {
    sets.lead(start, ascii_of(kind), one);
    sets.lead(one, ascii_of(kind), two);
  }
  sets.lead(two, "-", marked);
  sets.lead(marked, ascii_of(kSmallLetterKind), ended);
  sets.lead(ended, ascii_of(kSmallLetterKind), last);
  PlainTexts texts(sets, 8, 100);
  texts.begin_table();
  const auto expect_way = [&](const PlainTexts::Way& way, ReadSets::Id to, std::uint32_t n) {
    EXPECT_EQ(way.to, to);
    EXPECT_EQ(way.n_characters, n);
  };
  expect_way(texts.follow(start, kOfNames | kOfNumbers, 8), two, 2);
  expect_way(texts.follow(start, kOfNames, 8), two, 2);
  expect_way(texts.follow(start, kOfNames, 1), one, 1);
  expect_way(texts.follow(two, kOfNames, 8), two, 0);
  expect_way(texts.follow(marked, kOfNames | kOfNumbers, 8), marked, 0);
  expect_way(texts.follow(marked, kOfNames, 8), ended, 1);
  EXPECT_EQ(texts.kinds_next(start), kOfNames | kOfNumbers);
  EXPECT_EQ(texts.kinds_next(last), 0U);
}

TEST(ReadMemory, TellsWhereSymbolsMayLeadElsewhere) {
  std::vector<ReadMemory::Id> after(kSymbols);
  ReadMemory memory;
  memory.keep(after.data());
  memory.add_edge(symbol_of('b'), symbol_of('d'));
  memory.add_edge(64, 127);  // whole words
  memory.add_edge(kEnd, kEnd);
  memory.tell_apart(symbol_of('c'), symbol_of('c'));
  std::vector<std::size_t> apart;
  for (std::size_t at = 0; at < kSymbols; at = apart.back()) {
    apart.push_back(memory.next_apart(static_cast<Symbol>(at)));
  }
  EXPECT_EQ(apart, (std::vector<std::size_t>{64, 'b', 'c', 'd', 'e', 128, kEnd, kSymbols}));
  EXPECT_EQ(memory.next_apart(symbol_of('x')), 128U);
  EXPECT_EQ(memory.n_symbols(), 65U);
  memory.remember(symbol_of('x'), 7);
  EXPECT_EQ(memory.all()[127], 7);
  EXPECT_EQ(memory.all()[128], ReadMemory::kDead);
  EXPECT_EQ(memory.all()[symbol_of('d')], ReadMemory::kUnknown);
}

TEST(PlainText, WhatEndsBehindOtherCharactersIsNoEndOfThese) {
  // A name of small letters, or a number of one digit, which may end with a letter behind it.
  Sets sets;
  const auto start = sets.add();
  const auto name = sets.add(kOfNumbers);
  const auto number = sets.add(kOfNames);
  sets.lead(start, ascii_of(kSmallLetterKind), name);
  sets.lead(start, "0123456789", number);
  sets.lead(name, ascii_of(kSmallLetterKind), name);
  PlainTexts texts(sets, 8, 100);
  texts.begin_table();
  const PlainText& found = texts.of(start);
  EXPECT_EQ(found.kinds, kOfNames);
  EXPECT_EQ(found.most, PlainText::kForever);
  EXPECT_EQ(found.behind_end, kOfNumbers);
}

TEST(PlainText, CharactersThatMayEndSomethingLeadOnAllTheSame) {
  // Each letter may be the last of a rule; 'a' leads to another set than the others.
  Sets sets;
  const auto start = sets.add();
  const auto other = sets.add(kAllKinds | kNotPlain);
  for (const auto from : {start, other}) {
    sets.lead(from, ascii_of(kSmallLetterKind), other);
    sets.lead(from, "a", start);
  }
  PlainTexts texts(sets, 8, 100);
  texts.begin_table();
  EXPECT_EQ(texts.of(start).kinds, kOfNames);
  EXPECT_EQ(texts.of(start).most, PlainText::kForever);
  EXPECT_EQ(texts.of(start).behind_end, kAllKinds | kNotPlain);
}

}  // namespace
}  // namespace pleiad::constrain
