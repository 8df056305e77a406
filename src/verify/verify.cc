#include "verify/verify.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "base/error.h"
#include "base/mapped_file.h"
#include "base/text_format.h"
#include "model/checkpoint.h"
#include "verify/families.h"
#include "verify/tower.h"

namespace pleiad::verify {
namespace {

constexpr std::int64_t kPieceBytes = 4 << 20;

/// Rows of a tensor that one thread looks at.
struct Piece {
  std::size_t tensor = 0;
  std::int64_t first = 0;
  std::int64_t count = 0;
};

bool is_scales(const StoredTensor& tensor) {
  if (tensor.role == TensorRole::dead_kv) return tensor.file_name.ends_with("_scale");
  return tensor.role == TensorRole::scale;
}

bool is_of_single_values(DType type) { return is_unquantized(type) || type == DType::f8_e4m3; }

/// The values alone: what lies in other tensors is looked at there.
HostTensor values_of(const StoredTensor& tensor) {
  return {tensor.file_name, *tensor.dtype, tensor.shape, tensor.data, {}};
}

std::vector<Piece> divide(const std::vector<StoredTensor>& tensors) {
  std::vector<Piece> pieces;
  for (std::size_t index = 0; index < tensors.size(); ++index) {
    if (!tensors[index].dtype || is_scales(tensors[index])) continue;
    const HostTensor values = values_of(tensors[index]);
    const auto row = static_cast<std::int64_t>(values.bytes_per_row());
    const std::int64_t step =
        std::max<std::int64_t>(1, kPieceBytes / std::max<std::int64_t>(1, row));
    for (std::int64_t first = 0; first < values.rows(); first += step) {
      pieces.push_back({index, first, std::min(step, values.rows() - first)});
    }
  }
  return pieces;
}

std::span<const std::byte> bytes_of(const StoredTensor& tensor, const Piece& piece) {
  const std::size_t row = values_of(tensor).bytes_per_row();
  return tensor.data.subspan(static_cast<std::size_t>(piece.first) * row,
                             static_cast<std::size_t>(piece.count) * row);
}

/// Threads that scan pieces, while the one that waits tells how far they are.
class Scanner {
 public:
  Scanner(const StoredTensors& stored, const Options& options)
      : stored_(stored),
        options_(options),
        pieces_(divide(stored.tensors())),
        scans_(pieces_.size()) {}

  /// By tensor.
  std::vector<Scan> run() {
    std::vector<std::jthread> threads;
    const auto stop_all = [&] { next_ = pieces_.size(); };
    try {
      for (int i = 0; i < options_.n_threads; ++i) threads.emplace_back([this] { work(); });
      wait(threads.size());
    } catch (...) {
      stop_all();
      throw;
    }
    threads.clear();
    if (error_) std::rethrow_exception(error_);
    std::vector<Scan> by_tensor(stored_.tensors().size());
    for (std::size_t i = 0; i < pieces_.size(); ++i) by_tensor[pieces_[i].tensor].add(scans_[i]);
    return by_tensor;
  }

 private:
  void work() noexcept {
    try {
      for (std::size_t i = next_++; i < pieces_.size(); i = next_++) {
        const StoredTensor& tensor = stored_.tensors()[pieces_[i].tensor];
        const auto bytes = bytes_of(tensor, pieces_[i]);
        prefetch_pages(bytes);
        scans_[i] = scan_rows(values_of(tensor), pieces_[i].first, pieces_[i].count);
        stored_.check_unchanged();
        stored_.drop_pages(bytes);
        done_ += bytes.size();
      }
    } catch (...) {
      const std::scoped_lock lock(mutex_);
      error_ = std::current_exception();
      next_ = pieces_.size();
    }
    const std::scoped_lock lock(mutex_);
    ++n_ended_;
    changed_.notify_one();
  }

  void wait(std::size_t n_threads) {
    const auto tell = [&] {
      if (options_.progress) options_.progress(done_, stored_.total_bytes());
    };
    tell();
    std::unique_lock lock(mutex_);
    while (n_ended_ < n_threads) {
      changed_.wait_for(lock, std::chrono::milliseconds(50));
      lock.unlock();
      tell();
      lock.lock();
    }
  }

  const StoredTensors& stored_;
  const Options& options_;
  std::vector<Piece> pieces_;
  std::vector<Scan> scans_;  // of pieces
  std::atomic<std::size_t> next_ = 0;
  std::atomic<std::uint64_t> done_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t n_ended_ = 0;
  std::exception_ptr error_;
};

/// How large a tensor typically is, where that is the same in all layers: matrices, and factors of
/// weights. Values whose factors lie apart fill their range in any case.
std::optional<double> typical_size(const StoredTensor& tensor, const Scan& scan) {
  const bool has_factors = tensor.dtype == DType::f8_e4m3 || tensor.dtype == DType::nvfp4 ||
                           tensor.dtype == DType::nvfp4_packed;
  const bool is_matrix = tensor.shape.size() > 1 && values_of(tensor).rows() > 1;
  if (has_factors || !is_matrix || tensor.role == TensorRole::auxiliary) return std::nullopt;
  return scan.magnitudes.median();
}
std::optional<double> typical_size(const StoredTensor& tensor, const ScaleScan& scan) {
  if (tensor.dtype == DType::f8_e4m3) return std::nullopt;
  return scan.magnitudes.median();
}

/// Adds what is to be said of a tensor by itself; its typical size.
std::optional<double> add_tensor(const StoredTensor& tensor, const Scan& scan,
                                 std::vector<Finding>& findings) {
  if (is_scales(tensor) && tensor.dtype && is_of_single_values(*tensor.dtype)) {
    const ScaleScan scales = scan_scales(values_of(tensor));
    judge(tensor, scales, findings);
    return typical_size(tensor, scales);
  }
  if (tensor.dtype) {
    judge(tensor, scan, findings);
    return typical_size(tensor, scan);
  }
  findings.push_back({Severity::suspicious,
                      Kind::not_checked,
                      tensor.file_name,
                      tensor.name,
                      1,
                      {},
                      fmt::format("type {} cannot be decoded", printable(tensor.type))});
  return std::nullopt;
}

}  // namespace

bool Report::good() const {
  return std::ranges::none_of(
      findings, [](const Finding& finding) { return finding.severity == Severity::wrong; });
}

namespace {

Report check_tensors(const StoredTensors& stored, Report report, const Options& options) {
  report.path = stored.path().string();
  report.n_tensors = stored.tensors().size();
  report.n_bytes = stored.total_bytes();
  const std::vector<Scan> scans = Scanner(stored, options).run();
  std::vector<std::optional<double>> typical;
  for (std::size_t i = 0; i < scans.size(); ++i) {
    typical.push_back(add_tensor(stored.tensors()[i], scans[i], report.findings));
  }
  judge_families(stored.tensors(), typical, report.findings);
  return report;
}

}  // namespace

Report check_model(const std::filesystem::path& path, const Options& options) {
  Report report;
  std::vector<std::filesystem::path> projectors;
  try {
    const Checkpoint checkpoint = Checkpoint::open(path, {options.projector});
    read_unchanged(checkpoint, [&] { judge_towers(checkpoint, report.findings); });
    checkpoint.check_vision_unchanged();
    checkpoint.check_audio_unchanged();
    projectors = projector_files(checkpoint);
  } catch (const LoadError& error) {
    report.findings.push_back({Severity::wrong, Kind::cannot_load, "", "", 1, {}, error.what()});
  }
  for (const auto& projector : projectors) report.projectors.push_back(projector.string());
  const StoredTensors stored = StoredTensors::open(path, projectors);
  return read_unchanged(stored, [&] { return check_tensors(stored, std::move(report), options); });
}

}  // namespace pleiad::verify
