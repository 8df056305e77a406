#include "convert/quantization_config.h"

#include "base/check.h"

namespace pleiad::convert {
namespace {

constexpr const char* kVersion = "0.20.0";  // of compressed-tensors, whose fields these are

/// What the fields call a number format: `strategy` says what has a scale of its own.
Json number_format(int bits, const char* strategy) {
  return {{"dynamic", false},     {"group_size", nullptr}, {"num_bits", bits},
          {"strategy", strategy}, {"symmetric", true},     {"type", "float"}};
}

/// Sixteen weights share an E4M3 scale, and all of them one more.
Json nvfp4_weights() {
  Json weights = number_format(4, "tensor_group");
  weights["group_size"] = 16;
  weights["scale_dtype"] = "torch.float8_e4m3fn";
  return weights;
}

/// Activations to FP8 while they are computed, with a scale for each token.
Json dynamic_activations() {
  Json activations = number_format(8, "token");
  activations["dynamic"] = true;
  return activations;
}

}  // namespace

Json quantization_config(FileType type, const std::vector<std::string>& ignore) {
  const bool nvfp4 = type == FileType::nvfp4a16;
  CHECK(container_of(type) == Container::folder, "{}", name(type));
  const char* format = nvfp4 ? "nvfp4-pack-quantized" : "float-quantized";
  Json group;
  group["format"] = format;
  group["input_activations"] = nvfp4 ? Json() : dynamic_activations();
  group["output_activations"] = nullptr;
  group["targets"] = {"Linear"};
  group["weights"] =
      nvfp4 ? nvfp4_weights() : number_format(8, type == FileType::fp8 ? "tensor" : "channel");
  Json config;
  config["config_groups"]["group_0"] = std::move(group);
  config["format"] = format;
  config["global_compression_ratio"] = nullptr;
  config["ignore"] = ignore;
  config["kv_cache_scheme"] = nullptr;
  config["quant_method"] = "compressed-tensors";
  config["quantization_status"] = "compressed";
  config["sparsity_config"] = Json::object();
  config["transform_config"] = Json::object();
  config["version"] = kVersion;
  return config;
}

}  // namespace pleiad::convert
