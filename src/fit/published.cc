#include "fit/published.h"

#include <array>

namespace pleiad::fit {
namespace {

using convert::FileType;

constexpr std::string_view kLiteRt = "ai.google.dev/edge/litert-lm/overview";
constexpr std::string_view kLiteRtNote = "1,024 tokens read, 256 written";
constexpr std::string_view kQatPage = "pt13762104.github.io, 2026-06-06";
constexpr std::string_view kMistral = "mistral.rs, releases/v0.8.2";
constexpr std::string_view kMistralNote = "mean of prompts of 128 to 16k tokens";
constexpr std::string_view kMuninn = "ai-muninn.com";

// clang-format off
constexpr std::array kRates = {
    PublishedRate{"e2b", "int4", FileType::q4_0, "LiteRT-LM", "Raspberry Pi 5, CPU", 17.1, 133, 8, kLiteRt, kLiteRtNote},
    PublishedRate{"e2b", "int4", FileType::q4_0, "LiteRT-LM", "MacBook Pro M4, CPU", {}, 901, 42, kLiteRt, kLiteRtNote},
    PublishedRate{"e2b", "int4", FileType::q4_0, "LiteRT-LM", "MacBook Pro M4, GPU", {}, 7835, 160, kLiteRt, kLiteRtNote},
    PublishedRate{"e2b", "int4", FileType::q4_0, "LiteRT-LM", "Linux ARM 2.3 to 2.8 GHz, CPU", {}, 260, 35, kLiteRt, kLiteRtNote},
    PublishedRate{"e2b", "int4", FileType::q4_0, "LiteRT-LM", "RTX 4090", 1008, 11234, 143, kLiteRt, kLiteRtNote},
    PublishedRate{"e2b", "int4", FileType::q4_0, "LiteRT-LM", "Lunar Lake, CPU", 136.5, 435, 30, kLiteRt, kLiteRtNote},
    PublishedRate{"e2b", "int4", FileType::q4_0, "LiteRT-LM", "Lunar Lake, GPU", 136.5, 3751, 48, kLiteRt, kLiteRtNote},
    PublishedRate{"e2b", "int4", FileType::q4_0, "LiteRT-LM", "Galaxy S26 Ultra, CPU", {}, 557, 47, kLiteRt, kLiteRtNote},
    PublishedRate{"e2b", "int4", FileType::q4_0, "LiteRT-LM", "Galaxy S26 Ultra, GPU", {}, 3808, 52, kLiteRt, kLiteRtNote},
    PublishedRate{"e2b", "int4", FileType::q4_0, "LiteRT-LM", "iPhone 17 Pro, CPU", {}, 532, 25, kLiteRt, kLiteRtNote},
    PublishedRate{"e2b", "int4", FileType::q4_0, "LiteRT-LM", "iPhone 17 Pro, GPU", {}, 2878, 56, kLiteRt, kLiteRtNote},
    PublishedRate{"e2b", "QAT Q4_0", FileType::q4_0, "LiteRT-LM", "Core i7-10750H, CPU", 46.9, 211, 20.45, kQatPage, "prompts of 1,024 tokens"},
    PublishedRate{"e2b", "QAT Q4_0", FileType::q4_0, "llama.cpp", "Core i7-10750H, CPU", 46.9, 84, 20.48, kQatPage, "prompts of 1,024 tokens"},
    PublishedRate{"e2b", "QAT Q4_0", FileType::q4_0, "LiteRT-LM", "GTX 1660 Ti", 288, 4877, 99, kQatPage, ""},
    PublishedRate{"e2b", "QAT Q4_0", FileType::q4_0, "llama.cpp", "GTX 1660 Ti", 288, 2166, 119, kQatPage, ""},
    PublishedRate{"e2b", "QAT Q4_0", FileType::q4_0, "LiteRT-LM", "Dimensity 9000+, CPU", {}, 185, 16.1, kQatPage, ""},
    PublishedRate{"e2b", "QAT Q4_0", FileType::q4_0, "llama.cpp", "Dimensity 9000+, CPU", {}, 104, 17.9, kQatPage, "at depth 4,096: 54 and 14"},
    PublishedRate{"e2b", "Q4_K_M", FileType::q4_k_m, "Ollama 0.20", "M1 Max", 400, {}, 81, kMuninn, ""},
    PublishedRate{"e2b", "Q4_K_M", FileType::q4_k_m, "Ollama 0.20", "GB10", 273, {}, 53, kMuninn, ""},
    PublishedRate{"e2b", "Q4_K_M", FileType::q4_k_m, "Ollama 0.20", "M4", 120, {}, 42, kMuninn, ""},
    PublishedRate{"e2b", "Q4_K_M", FileType::q4_k_m, "Ollama 0.23.1", "Ryzen 5 4600H, CPU", {}, {}, 17, "vasyl.blog", ""},
    PublishedRate{"e2b", "Q4_K_M", FileType::q4_k_m, "Ollama 0.23.1", "Ryzen 5 4600H with GTX 1650 Ti", {}, {}, 39, "vasyl.blog", ""},
    PublishedRate{"e2b", "BF16", FileType::bf16, "vLLM 0.27.1", "GB10", {}, {}, 890, "inference-atlas#14", "sum of up to 64 sequences"},
    PublishedRate{"e2b", "BF16", FileType::bf16, "transformers", "RTX 3090", 936, {}, 47.5, "dlyog.com", ""},
    PublishedRate{"e2b", "4 bits", FileType::q4_0, "mlx-swift", "M5 Max", {}, {}, 167, "mlx-swift-lm#9", "115 at 32k tokens; prompts 2,000 to 12,000"},
    PublishedRate{"e4b", "Q4_K_M", FileType::q4_k_m, "llama.cpp", "RTX 3090", 936, 5378, 148, "calebcoffie.com/benchmarks", "prompt of 853 tokens; 608 for one of 36"},
    PublishedRate{"e4b", "Q8_0", FileType::q8_0, "llama.cpp", "RTX 5090", 1792, 11852, 166.5, "llama.cpp#22097", ""},
    PublishedRate{"e4b", "Q4_K_M", FileType::q4_k_m, "llama.cpp", "Xeon E-2176G, 4 cores", {}, {}, 8.59, "deemwar, llama-cpu-benchmarks", ""},
    PublishedRate{"e4b", "QAT Q4_0", FileType::q4_0, "llama.cpp", "QCS9075M, CPU", {}, 53.5, 12.97, "huggingface.co/zackliqcom", "512 tokens of context"},
    PublishedRate{"e4b", "QAT Q4_0", FileType::q4_0, "llama.cpp", "QCS9075M, NPU", {}, 356, 10.6, "huggingface.co/zackliqcom", "512 tokens of context"},
    PublishedRate{"e4b", "Q4_K_M", FileType::q4_k_m, "llama.cpp", "a GPU that is not named", {}, 577, 105.8, "llama.cpp#27794", "prompts 571 to 583"},
    PublishedRate{"e4b", "Q8", FileType::q8_0, "mistral.rs 0.8.2", "GB10", 273, 7396, 44.1, kMistral, kMistralNote},
    PublishedRate{"e4b", "Q8", FileType::q8_0, "llama.cpp", "GB10", 273, 3974, 40.5, kMistral, kMistralNote},
    PublishedRate{"e4b", "Q8", FileType::q8_0, "mistral.rs 0.8.2", "B200", 8000, 27706, 241, kMistral, kMistralNote},
    PublishedRate{"e4b", "Q8", FileType::q8_0, "llama.cpp", "B200", 8000, 11992, 194, kMistral, kMistralNote},
    PublishedRate{"e4b", "Q8", FileType::q8_0, "mistral.rs 0.8.2", "H100 SXM", 3350, 26221, 223, kMistral, kMistralNote},
    PublishedRate{"e4b", "Q8", FileType::q8_0, "llama.cpp", "H100 SXM", 3350, 11702, 183, kMistral, kMistralNote},
    PublishedRate{"e4b", "BF16", FileType::bf16, "mistral.rs 0.8.2", "GB10", 273, 5839, 25.1, kMistral, kMistralNote},
    PublishedRate{"e4b", "BF16", FileType::bf16, "vLLM", "GB10", 273, 5813, 18.8, kMistral, kMistralNote},
    PublishedRate{"e4b", "BF16", FileType::bf16, "mistral.rs 0.8.2", "B200", 8000, 43548, 203, kMistral, kMistralNote},
    PublishedRate{"e4b", "BF16", FileType::bf16, "vLLM", "B200", 8000, 39431, 196, kMistral, kMistralNote},
    PublishedRate{"e4b", "BF16", FileType::bf16, "mistral.rs 0.8.2", "H100 SXM", 3350, 35852, 174, kMistral, kMistralNote},
    PublishedRate{"e4b", "BF16", FileType::bf16, "vLLM", "H100 SXM", 3350, 39294, 153, kMistral, kMistralNote},
    PublishedRate{"e4b", "Q4", FileType::q4_0, "mistral.rs 0.8.2", "GB10", 273, {}, 68.0, kMistral, "depth 128; prompts 4,643 to 8,663"},
    PublishedRate{"e4b", "Q4", FileType::q4_0, "llama.cpp", "GB10", 273, {}, 61.6, kMistral, "depth 128; prompts 3,171 to 4,762"},
    PublishedRate{"26b-a4b", "Q8", FileType::q8_0, "mistral.rs 0.8.2", "H100 SXM", 3350, 12362, 199.8, kMistral, ""},
    PublishedRate{"26b-a4b", "Q8", FileType::q8_0, "llama.cpp", "H100 SXM", 3350, 8055, 183.9, kMistral, ""},
    PublishedRate{"26b-a4b", "BF16", FileType::bf16, "vLLM", "H100 SXM", 3350, 26296, 148, kMistral, ""},
    PublishedRate{"26b-a4b", "BF16", FileType::bf16, "llama.cpp", "2 x Xeon E5-2697A v4, 64 threads", {}, 115, 7.45, "ik_llama.cpp#2175", "prompts of 512 tokens"},
    PublishedRate{"26b-a4b", "Q4", FileType::q4_k_m, "llama.cpp", "Core i5-8500, DDR4", {}, {}, 9.25, "gemmaclaw#116", ""},
    PublishedRate{"26b-a4b", "Q4_0", FileType::q4_0, "llama.cpp, Vulkan", "Ryzen 6800H, built-in GPU", {}, 313, 18.35, "gemmaclaw#350", ""},
    PublishedRate{"31b", "NVFP4", FileType::nvfp4a16, "vLLM", "B300", {}, {}, 350, "vllm#41745", "with 7 drafted tokens; about"},
    PublishedRate{"31b", "Q8", FileType::q8_0, "llama.cpp", "RTX PRO 6000", 1792, {}, 40, "llama.cpp#23398", ""},
    PublishedRate{"31b", "Q8", FileType::q8_0, "llama.cpp", "Strix Halo", 256, {}, 6.7, "llama.cpp#23398", "17.7 to 22 with drafted tokens"},
};
// clang-format on

}  // namespace

std::span<const PublishedRate> published_rates() { return kRates; }

}  // namespace pleiad::fit
