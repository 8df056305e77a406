#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "store/catalog.h"

namespace pleiad::store {

/// What a store calls the blob of these 64 hex digits: "sha256-<hex>".
std::string blob_name(const std::string& hex);

/// The digits of such a name, in lower case; empty where it is none.
std::string blob_digits(std::string_view name);

/// Where a store keeps the blob of these 64 hex digits.
std::filesystem::path blob_path(const std::filesystem::path& store, const std::string& hex);

/// A regular file is there.
bool is_file(const std::filesystem::path& path);

/// Writes a blob of our own store; see Catalog::write_blob.
std::unique_ptr<Catalog::BlobWriter> make_blob_writer(const std::filesystem::path& store,
                                                      const std::string& hex);

}  // namespace pleiad::store
