#include "formats/safetensors/writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>
#include <unordered_set>
#include <utility>

#include "base/check.h"
#include "formats/safetensors/element_type.h"

namespace pleiad::safetensors {
namespace {

std::uint32_t bits_of(const NewTensor& tensor) {
  const ElementType* type = find_element_type(tensor.type);
  CHECK(type != nullptr, "{}: type {}", tensor.name, tensor.type);
  return type->bits;
}

/// The places of `tensors` in the order in which they lie in the file.
std::vector<std::size_t> file_order(const std::vector<NewTensor>& tensors) {
  std::vector<std::size_t> order(tensors.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
    const std::uint32_t bits_a = bits_of(tensors[a]);
    const std::uint32_t bits_b = bits_of(tensors[b]);
    return bits_a != bits_b ? bits_a > bits_b : tensors[a].name < tensors[b].name;
  });
  return order;
}

/// The JSON text, filled up with spaces so that the data begins at a multiple of eight.
std::string header_text(const std::vector<NewTensor>& tensors,
                        const std::vector<std::size_t>& order) {
  std::string text = R"({"__metadata__":{"format":"pt"})";
  std::uint64_t offset = 0;
  for (const std::size_t index : order) {
    const NewTensor& tensor = tensors[index];
    const std::uint64_t end = offset + tensor.bytes();
    nlohmann::ordered_json entry;
    entry["dtype"] = tensor.type;
    entry["shape"] = tensor.shape;
    entry["data_offsets"] = {offset, end};
    text += fmt::format(",{}:{}", nlohmann::json(tensor.name).dump(), entry.dump());
    offset = end;
  }
  text += '}';
  text.resize((text.size() + 7) / 8 * 8, ' ');
  return text;
}

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text));
}

}  // namespace

std::uint64_t NewTensor::bytes() const {
  return static_cast<std::uint64_t>(element_count(shape)) * bits_of(*this) / 8;
}

Writer::Writer(const std::filesystem::path& path, std::vector<NewTensor> tensors)
    : file_(path), tensors_(std::move(tensors)), places_(tensors_.size()) {
  std::unordered_set<std::string_view> names;
  for (const NewTensor& tensor : tensors_) {
    CHECK(names.insert(tensor.name).second, "tensor {} twice", tensor.name);
  }
  const std::vector<std::size_t> order = file_order(tensors_);
  const std::string header = header_text(tensors_, order);
  std::string start(sizeof(std::uint64_t), '\0');
  for (std::size_t i = 0; i < start.size(); ++i) {
    start[i] = static_cast<char>(header.size() >> (8 * i) & 0xFF);
  }
  file_size_ = start.size() + header.size();
  for (const std::size_t index : order) {
    places_[index].next = file_size_;
    file_size_ += tensors_[index].bytes();
    places_[index].end = file_size_;
  }
  file_.write(bytes_of(start));
  file_.write(bytes_of(header));
}

void Writer::write(std::size_t index, std::span<const std::byte> bytes) {
  CHECK(index < places_.size(), "tensor {} of {}", index, places_.size());
  Place& place = places_[index];
  CHECK(bytes.size() <= place.end - place.next, "{}: {} bytes where {} are missing",
        tensors_[index].name, bytes.size(), place.end - place.next);
  file_.write_at(place.next, bytes);
  place.next += bytes.size();
}

void Writer::finish() {
  for (std::size_t index = 0; index < places_.size(); ++index) {
    CHECK(places_[index].next == places_[index].end, "tensor {}: {} bytes are missing",
          tensors_[index].name, places_[index].end - places_[index].next);
  }
  file_.finish();
}

FolderWriter::FolderWriter(const std::filesystem::path& folder,
                           const std::vector<NewTensor>& tensors, std::uint64_t shard_bytes)
    : folder_(folder) {
  std::vector<std::vector<NewTensor>> shards(1);
  std::uint64_t in_shard = 0;
  for (const NewTensor& tensor : tensors) {
    const std::uint64_t bytes = tensor.bytes();
    if (in_shard + bytes > shard_bytes && !shards.back().empty()) {
      shards.emplace_back();
      in_shard = 0;
    }
    in_shard += bytes;
    tensor_bytes_ += bytes;
    names_.push_back(tensor.name);
    places_.push_back({shards.size() - 1, shards.back().size()});
    shards.back().push_back(tensor);
  }
  for (std::size_t shard = 0; shard < shards.size(); ++shard) {
    files_.push_back(shards.size() == 1 ? "model.safetensors"
                                        : fmt::format("model-{:05}-of-{:05}.safetensors", shard + 1,
                                                      shards.size()));
    shards_.push_back(std::make_unique<Writer>(folder / files_.back(), std::move(shards[shard])));
  }
}

void FolderWriter::write(std::size_t index, std::span<const std::byte> bytes) {
  CHECK(index < places_.size(), "tensor {} of {}", index, places_.size());
  shards_[places_[index].shard]->write(places_[index].index, bytes);
}

std::uint64_t FolderWriter::total_size() const {
  std::uint64_t total = 0;
  for (const auto& shard : shards_) total += shard->file_size();
  return total;
}

void FolderWriter::finish() {
  for (const auto& shard : shards_) shard->finish();
  if (shards_.size() == 1) return;
  nlohmann::json index;  // sorted by key, as transformers writes it
  index["metadata"]["total_size"] = tensor_bytes_;
  for (std::size_t i = 0; i < names_.size(); ++i) {
    index["weight_map"][names_[i]] = files_[places_[i].shard];
  }
  OutputFile file(folder_ / "model.safetensors.index.json");
  file.write(bytes_of(index.dump(2) + "\n"));
  file.finish();
}

}  // namespace pleiad::safetensors
