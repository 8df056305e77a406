#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "engine/testing/engine_test_support.h"
#include "model/testing/golden_media.h"

// Requests that show the pictures of golden prompts, and what holds of any model that answers them.

namespace pleiad::testing_support {

/// Keys and values are not rounded; room for what tiny models need.
inline EngineOptions exact_options(int max_running) {
  EngineOptions options;
  options.kv_type = KvType::f32;
  options.kv_bytes = std::uint64_t{64} << 20;
  options.max_running = max_running;
  return options;
}

inline EngineRequest about(const GoldenPrompt& prompt, std::uint64_t seed = 1) {
  EngineRequest asked = request(prompt.tokens, seed, 6);
  for (const auto& picture : prompt.pictures) {
    asked.media.push_back({picture.first, picture.n,
                           std::make_shared<const PictureInput>(
                               pattern_picture(picture.width, picture.height, picture.seed))});
  }
  return asked;
}

inline void expect_next_tokens_of_the_reference(Engine& engine,
                                                const std::vector<GoldenPrompt>& prompts) {
  for (const GoldenPrompt& golden : prompts) {
    SCOPED_TRACE(golden.name);
    EngineRequest asked = about(golden);
    asked.generation.sampling.temperature = 0;
    asked.generation.max_tokens = 1;
    const Reply reply = ask(engine, std::move(asked));
    ASSERT_TRUE(reply.result) << reply.failure->message;
    const GoldenMatrix logits = read_golden_matrix(golden.logits_file);
    const auto last = std::span(logits.values).last(static_cast<std::size_t>(logits.cols));
    const auto best = std::max_element(last.begin(), last.end());
    double sum = 0;
    for (const float logit : last) sum += std::exp(static_cast<double>(logit - *best));
    EXPECT_EQ(reply.ids().at(0), best - last.begin());
    EXPECT_NEAR(reply.tokens.at(0).logprob.value(), -std::log(sum), 1e-3);
  }
}

inline void expect_same_alone_and_amid_others(Engine& engine,
                                              const std::vector<GoldenPrompt>& prompts) {
  std::vector<Reply> alone;
  for (const GoldenPrompt& golden : prompts) alone.push_back(ask(engine, cold(about(golden))));
  std::vector<std::shared_ptr<CollectingSink>> sinks;
  for (const bool cached : {true, false}) {
    for (const GoldenPrompt& golden : prompts) {
      sinks.push_back(std::make_shared<CollectingSink>());
      engine.submit(cached ? about(golden) : cold(about(golden)), sinks.back());
    }
  }
  for (std::size_t i = 0; i < sinks.size(); ++i) {
    SCOPED_TRACE(prompts[i % prompts.size()].name);
    expect_same_reply(sinks[i]->wait(), alone[i % prompts.size()]);
  }
}

}  // namespace pleiad::testing_support
