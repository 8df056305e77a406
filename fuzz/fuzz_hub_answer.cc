// Any bytes at all, as what a hub of models answers: a repository, a page of its files, the index
// of its shards, where its next page is. The first line is what somebody chose of it. Whatever is
// wrong must end in a Failure; what is accepted stays below its folder, and is known by hex digits.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/ascii.h"
#include "pull/hugging_face/choice.h"
#include "pull/hugging_face/endpoint.h"
#include "pull/hugging_face/file_path.h"
#include "pull/hugging_face/repository_answers.h"

namespace {

using namespace pleiad::pull::hugging_face;
using pleiad::is_hex;

void require(bool holds) {
  if (!holds) std::abort();
}

void require_path(const std::string& path) {
  const std::filesystem::path below = std::filesystem::path("/cache/snapshot") / path;
  const std::string normal = below.lexically_normal().string();
  require(normal.starts_with("/cache/snapshot/") && normal.find('\0') == std::string::npos);
}

void read_repository(std::string_view text) {
  const auto info = parse_repository_info(text);
  require(info ? is_hex(info.value().commit, 40) : !info.message().empty());
}

void read_files(std::string_view text, const std::string& wanted) {
  auto page = parse_tree_page(text);
  if (!page) return require(!page.message().empty());
  std::vector<HubFile>& files = page.value().files;
  std::ranges::sort(files, {}, &HubFile::path);
  if (std::ranges::adjacent_find(files, {}, &HubFile::path) != files.end()) return;  // refused
  for (const HubFile& file : page.value().files) {
    require_path(file.path);
    require(is_hex(file.etag(), 40) || is_hex(file.etag(), 64));
  }
  const auto read = [&](const HubFile&) -> pleiad::Result<std::string> {
    return std::string(text);
  };
  const auto choice = choose_files(page.value().files, wanted, read);
  if (!choice) return require(!choice.message().empty());
  require(!choice.value().files.empty());
  for (const HubFile& file : choice.value().files) require_path(file.path);
  if (!choice.value().model.empty()) {
    require(choice.value().files.back().path == choice.value().model);
    const auto again = choose_files(page.value().files, choice.value().selector, read);
    require(again.ok() && again.value().model == choice.value().model);
  }
}

void read_index(std::string_view text) {
  const HubFile config{"config.json", 1, std::string(40, 'a'), {}};
  const HubFile index{"model.safetensors.index.json", 1, std::string(40, 'b'), {}};
  const HubFile shard{"model.safetensors-1", 1, std::string(40, 'c'), {}};
  const auto choice = choose_files(
      {config, shard, index}, "safetensors",
      [&](const HubFile&) -> pleiad::Result<std::string> { return std::string(text); });
  require(choice ? choice.value().files.back().path == "config.json" : !choice.message().empty());
}

void read_address(std::string_view text) {
  const auto endpoint = Endpoint::parse(text);
  if (endpoint) {
    require(endpoint.value().origin.starts_with("http"));
    require(endpoint.value().origin.find('@') == std::string::npos);
  }
  const auto mirror = Endpoint::parse("https://mirror.example/hub");
  const auto own = mirror.value().own_url(text);
  if (!own) return;
  // Whatever is written there, it is the mirror that is asked.
  const auto again = mirror.value().own_url(own.value());
  require(own.value().starts_with("https://mirror.example/") && again.ok());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t line = text.find('\n');
  const std::string wanted(text.substr(0, line));
  const std::string_view rest = line == std::string_view::npos ? text : text.substr(line + 1);
  read_repository(rest);
  read_files(rest, wanted);
  read_index(rest);
  read_address(rest);
  (void)path_problem(rest);
  return 0;
}
