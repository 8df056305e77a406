// The 12B's way from pixels to soft tokens, in the order of its description: norms with a mean, a
// matrix, learned places of both axes, and the projector that towers have too.

#include "model/gemma4/unified/picture_embedder.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/error.h"
#include "base/mapped_file.h"
#include "base/round_up.h"
#include "model/gemma4/vision/config_load.h"
#include "model/gemma4/vision/patches.h"
#include "tensor/decode.h"

namespace pleiad::gemma4 {
namespace {

constexpr std::string_view kPlaces = "vision.position_embedding";
// Kernels take rows in blocks: fewer cost as much.
constexpr std::int64_t kPatchBlock = 32;

}  // namespace

/// One picture on its way: patches one after the other, whole.
class PictureEmbedder::Encoding final : public MediaEncoding {
 public:
  Encoding(PictureEmbedder& embedder, const PictureInput& picture)
      : embedder_(embedder),
        picture_(picture),
        grid_(patch_grid(picture, embedder.config_)),
        positions_(*embedder.checkpoint_.find_vision(kPlaces), embedder.config_, grid_),
        soft_tokens_(static_cast<std::size_t>(grid_.count() * embedder.config_.model_dim)) {}

  bool advance(std::int64_t rows) override {
    if (next_ == grid_.count()) return true;
    if (embedder_.load_next_part()) return false;
    const std::int64_t most = embedder_.options_.max_rows;
    const std::int64_t chunk =
        std::min(rounded_up(std::clamp<std::int64_t>(rows, 1, most), kPatchBlock), most);
    const std::int64_t n = std::min(chunk, grid_.count() - next_);
    embed(next_, n);
    next_ += n;
    if (next_ == grid_.count()) picture_.rgb = {};
    // Weights without a packed form are read from the file.
    embedder_.checkpoint_.check_vision_unchanged();
    return next_ == grid_.count();
  }

  double progress() const override {
    return static_cast<double>(next_) / static_cast<double>(grid_.count());
  }

  std::vector<float> take() override {
    CHECK(next_ == grid_.count(), "an encoding that is not done");
    return std::move(soft_tokens_);
  }

 private:
  // x = norm2(W norm1(patch) + b); soft token = W' rms(norm3(x + place(x) + place(y)))
  void embed(std::int64_t first, std::int64_t n) {
    PictureEmbedder& e = embedder_;
    const Tensor patches = e.patches_.top(n);
    const Tensor embedded = e.embedded_.top(n);
    const Tensor soft = e.soft_.top(n);
    const auto host = [&](std::vector<float>& room, const Tensor& tensor) {
      return std::span(room).first(static_cast<std::size_t>(n * tensor.cols));
    };
    const std::span<float> pixels = host(e.host_, patches);
    fill_patches(picture_, e.config_, first, n, pixels);
    e.patch_norm_.apply(pixels);
    e.backend_.write(patches, pixels);
    const LinearTask embed_task = {embedded, &e.patch_embedding_};
    e.backend_.linear({&embed_task, 1}, patches);

    const std::span<float> rows = host(e.host_, embedded);
    const std::span<float> places = host(e.places_, embedded);
    e.backend_.read(rows, embedded);
    const std::size_t dim = e.patch_bias_.size();
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i] += e.patch_bias_[i % dim];
    e.embedding_norm_.apply(rows);
    positions_.fill(first, n, places);
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i] += places[i];
    e.position_norm_.apply(rows);
    e.backend_.write(embedded, rows);
    e.backend_.rms_norm(embedded, embedded, nullptr, e.config_.rms_norm_eps);
    const LinearTask project_task = {soft, &e.projector_};
    e.backend_.linear({&project_task, 1}, embedded);
    e.backend_.read(std::span(soft_tokens_)
                        .subspan(static_cast<std::size_t>(first * soft.cols),
                                 static_cast<std::size_t>(n * soft.cols)),
                    soft);
  }

  PictureEmbedder& embedder_;
  PictureInput picture_;  // its pixels until they are embedded
  PatchGrid grid_;
  GridPositions positions_;
  std::vector<float> soft_tokens_;  // [patches, model_dim]
  std::int64_t next_ = 0;           // patch
};

PictureEmbedder::PictureEmbedder(const Checkpoint& checkpoint, Backend& backend,
                                 const VisionOptions& options, const LoadProgress& progress)
    : checkpoint_(checkpoint),
      config_(*checkpoint.vision()),
      backend_(backend),
      options_(options),
      progress_(progress) {
  CHECK(config_.is_embedder());
  info_.model_dim = config_.model_dim;
  info_.default_budget = config_.default_budget;
  info_.patch_size = config_.patch_size;
  info_.pooling = config_.pooling;
  info_.max_patches_on_a_side = config_.position_table_size;
  if (const std::string problem = tower_problem(config_); !problem.empty()) {
    throw LoadError("{} {}", checkpoint.config().name, problem);
  }
  while (!options.load_on_the_way && load_next_part()) {
  }
  allocate_workspace();
  // Of the table of places a picture's own rows are read from the file.
  const HostTensor& places = *checkpoint.find_vision(kPlaces);
  checkpoint.advise_random(places);
  info_.weight_bytes = checkpoint.vision_tensor_bytes() - places.data.size() + memory_->size() +
                       (host_.size() + places_.size()) * sizeof(float);
}

std::vector<float> PictureEmbedder::values(std::string_view name) const {
  const HostTensor* tensor = checkpoint_.find_vision(name);
  CHECK(tensor != nullptr, "tensor {}", name);
  std::vector<float> values(static_cast<std::size_t>(element_count(tensor->shape)));
  decode_row(*tensor, 0, values.data());
  return values;
}

bool PictureEmbedder::load_next_part() {
  if (projector_) return false;
  try {
    const auto norm = [&](const std::string& name) {
      return LayerNorm{values(name + ".weight"), values(name + ".bias")};
    };
    if (!patch_embedding_) {  // twice as large as all the rest
      patch_embedding_ = matrix("vision.patch_embedding");
    } else {
      patch_norm_ = norm("vision.patch_norm");
      patch_bias_ = values("vision.patch_bias");
      embedding_norm_ = norm("vision.embedding_norm");
      position_norm_ = norm("vision.position_norm");
      projector_ = matrix("vision.projector");
    }
    checkpoint_.check_vision_unchanged();
  } catch (...) {
    checkpoint_.check_vision_unchanged();  // whatever else was found then comes of it
    throw;
  }
  return true;
}

Weight PictureEmbedder::matrix(std::string_view name) {
  const HostTensor* tensor = checkpoint_.find_vision(name);
  CHECK(tensor != nullptr, "tensor {}", name);
  prefetch_pages(tensor->data);
  checkpoint_.check_vision_unchanged();
  Weight weight = backend_.upload(*tensor, WeightUse::matrix);
  if (!weight.reads_file()) checkpoint_.drop_pages(*tensor);
  loaded_bytes_ += tensor->data.size();
  if (progress_) progress_(loaded_bytes_, checkpoint_.vision_tensor_bytes());
  return weight;
}

void PictureEmbedder::allocate_workspace() {
  const std::int64_t rows = options_.max_rows;
  constexpr std::int64_t kAlign = 16;  // floats: every tensor starts on a cache line
  const std::int64_t cols[] = {config_.patch_values(), config_.hidden_dim, config_.model_dim};
  std::int64_t total = 0;
  for (const std::int64_t n : cols) total += rounded_up(rows * n, kAlign);
  memory_ = backend_.allocate(static_cast<std::size_t>(total) * sizeof(float));
  auto* next = reinterpret_cast<float*>(memory_->data());
  Tensor* const tensors[] = {&patches_, &embedded_, &soft_};
  for (std::size_t i = 0; i < std::size(tensors); ++i) {
    *tensors[i] = Tensor(next, rows, cols[i]);
    next += rounded_up(rows * cols[i], kAlign);
  }
  const std::int64_t widest = std::max(config_.patch_values(), config_.hidden_dim);
  host_.resize(static_cast<std::size_t>(rows * widest));
  places_.resize(static_cast<std::size_t>(rows * config_.hidden_dim));
}

std::unique_ptr<MediaEncoding> PictureEmbedder::begin(const PictureInput& picture) {
  auto encoding = std::make_unique<Encoding>(*this, picture);
  checkpoint_.check_vision_unchanged();  // rows of the table of places were read
  return encoding;
}

std::uint64_t PictureEmbedder::encoding_bytes(std::int64_t n_patches) const {
  // A picture may be one patch high.
  const auto places = static_cast<std::uint64_t>(n_patches + 1) *
                      static_cast<std::uint64_t>(config_.hidden_dim) * sizeof(float);
  const auto patches = static_cast<std::uint64_t>(n_patches);
  return places + patches * static_cast<std::uint64_t>(config_.patch_values()) +
         patches * static_cast<std::uint64_t>(config_.model_dim) * sizeof(float);
}

}  // namespace pleiad::gemma4
