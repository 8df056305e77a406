// The 12B's way from pixels to soft tokens, in the order of its description: norms with a mean, a
// matrix, learned places of both axes, and the projector that towers have too.

#include "model/gemma4/unified/picture_embedder.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/mapped_file.h"
#include "model/gemma4/staged_encoding.h"
#include "model/gemma4/tensor_room.h"
#include "model/gemma4/vision/patches.h"

namespace pleiad::gemma4 {
namespace {

constexpr std::string_view kPlaces = "vision.position_embedding";

}  // namespace

/// One picture on its way: patches one after the other, whole.
class PictureEmbedder::Encoding final : public StagedEncoding {
 public:
  Encoding(PictureEmbedder& embedder, const PictureInput& picture)
      : StagedEncoding(embedder.source_, embedder.backend_, embedder.options_.max_rows),
        embedder_(embedder),
        picture_(picture),
        grid_(patch_grid(picture, embedder.config_)),
        positions_(source_.get(kPlaces), embedder.config_, grid_) {
    plan(grid_.count() * embedder.config_.model_dim, static_cast<double>(grid_.count()), 1.0);
  }

 private:
  bool load_next_part() override { return embedder_.load_next_part(); }
  void run_stage(std::int64_t first, std::int64_t n) override { embed(first, n); }
  std::int64_t rows_of_stage() const override { return grid_.count(); }
  double operations_of_row() const override { return 1.0; }
  bool next_stage() override { return false; }

  // x = norm2(W norm1(patch) + b); soft token = W' rms(norm3(x + place(x) + place(y)))
  void embed(std::int64_t first, std::int64_t n) {
    PictureEmbedder& e = embedder_;
    const Tensor patches = e.patches_.top(n);
    const Tensor embedded = e.embedded_.top(n);
    const auto host = [&](std::vector<float>& room, const Tensor& tensor) {
      return std::span(room).first(static_cast<std::size_t>(n * tensor.cols));
    };
    const std::span<float> pixels = host(e.host_, patches);
    fill_patches(picture_, e.config_, first, n, pixels);
    e.patch_norm_.apply(pixels);
    backend_.write(patches, pixels);
    const LinearTask embed_task = {embedded, &e.patch_embedding_};
    backend_.linear({&embed_task, 1}, patches);

    const std::span<float> rows = host(e.host_, embedded);
    const std::span<float> places = host(e.places_, embedded);
    backend_.read(rows, embedded);
    const std::size_t dim = e.patch_bias_.size();
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i] += e.patch_bias_[i % dim];
    e.embedding_norm_.apply(rows);
    positions_.fill(first, n, places);
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i] += places[i];
    e.position_norm_.apply(rows);
    backend_.write(embedded, rows);
    project(first, embedded, e.config_.rms_norm_eps, e.projector_, e.soft_.top(n));
  }

  PictureEmbedder& embedder_;
  const PictureInput& picture_;
  PatchGrid grid_;
  GridPositions positions_;
};

PictureEmbedder::PictureEmbedder(const Checkpoint& checkpoint, Backend& backend,
                                 const VisionOptions& options, const LoadProgress& progress)
    : source_(checkpoint, EncoderKind::vision),
      config_(*checkpoint.vision()),
      backend_(backend),
      options_(options),
      info_(vision_encoder_info(checkpoint)),
      loader_(std::make_unique<EncoderLoader>(source_, backend, progress)) {
  CHECK(config_.is_embedder());
  while (!options.load_on_the_way && load_next_part()) {
  }
  allocate_workspace();
  // Of the table of places a picture's own rows are read from the file.
  const HostTensor& places = source_.get(kPlaces);
  checkpoint.advise_random(places);
  info_.weight_bytes = source_.tensor_bytes() - places.data.size() + memory_->size() +
                       (host_.size() + places_.size()) * sizeof(float);
}

bool PictureEmbedder::load_next_part() {
  if (!loader_) return false;
  const auto norm = [&](const std::string& name) {
    return LayerNorm{loader_->values(name + ".weight"), loader_->values(name + ".bias")};
  };
  const bool is_first = !patch_embedding_;  // twice as large as all the rest
  read_unchanged(source_, [&] {
    if (is_first) {
      patch_embedding_ = loader_->matrix("vision.patch_embedding");
      return;
    }
    patch_norm_ = norm("vision.patch_norm");
    patch_bias_ = loader_->values("vision.patch_bias");
    embedding_norm_ = norm("vision.embedding_norm");
    position_norm_ = norm("vision.position_norm");
    projector_ = loader_->matrix("vision.projector");
  });
  if (!is_first) loader_.reset();
  return true;
}

void PictureEmbedder::allocate_workspace() {
  const std::int64_t rows = options_.max_rows;
  const std::array<TensorPart, 3> parts = {{
      {&patches_, rows, config_.patch_values()},
      {&embedded_, rows, config_.hidden_dim},
      {&soft_, rows, config_.model_dim},
  }};
  memory_ = allocate_tensors(backend_, parts, Taken::when_written);
  const std::int64_t widest = std::max(config_.patch_values(), config_.hidden_dim);
  host_.resize(static_cast<std::size_t>(rows * widest));
  places_.resize(static_cast<std::size_t>(rows * config_.hidden_dim));
}

std::unique_ptr<MediaEncoding> PictureEmbedder::begin(const PictureInput& picture) {
  auto encoding = std::make_unique<Encoding>(*this, picture);
  source_.check_unchanged();  // rows of the table of places were read
  return encoding;
}

std::uint64_t PictureEmbedder::encoding_bytes(std::int64_t n_patches) const {
  // A picture may be one patch high.
  const auto places = static_cast<std::uint64_t>(n_patches + 1) *
                      static_cast<std::uint64_t>(config_.hidden_dim) * sizeof(float);
  return places + static_cast<std::uint64_t>(n_patches) *
                      static_cast<std::uint64_t>(config_.model_dim) * sizeof(float);
}

}  // namespace pleiad::gemma4
