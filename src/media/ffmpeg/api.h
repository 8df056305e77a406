#pragma once

#include <soxr.h>

#include <memory>
#include <string>

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/frame.h>
#include <libavutil/log.h>
#include <libavutil/mem.h>
#include <libavutil/pixdesc.h>
#include <libswscale/swscale.h>
}

// The functions of FFmpeg's libraries and of libsoxr that are used here. They are loaded when they
// are needed, in the process that needs them: linked to the program they would bring some 130
// libraries into every start of it, 50 ms each time, for a model that hears nothing.
namespace pleiad::media {

// clang-format off
#define PLEIAD_AVUTIL_FUNCTIONS(F)                                           \
  F(av_dict_free) F(av_dict_set) F(av_frame_alloc) F(av_frame_free)          \
  F(av_frame_unref) F(av_freep) F(av_log_set_level) F(av_malloc)             \
  F(av_max_alloc) F(av_pix_fmt_desc_get) F(av_strerror)
#define PLEIAD_AVCODEC_FUNCTIONS(F)                                          \
  F(av_packet_alloc) F(av_packet_free) F(av_packet_unref)                    \
  F(avcodec_alloc_context3) F(avcodec_find_decoder_by_name)                  \
  F(avcodec_flush_buffers) F(avcodec_free_context) F(avcodec_get_name)       \
  F(avcodec_open2) F(avcodec_parameters_to_context)                          \
  F(avcodec_receive_frame) F(avcodec_send_packet)
#define PLEIAD_AVFORMAT_FUNCTIONS(F)                                         \
  F(av_find_best_stream) F(av_find_input_format) F(av_read_frame)            \
  F(avformat_alloc_context) F(avformat_close_input)                          \
  F(avformat_find_stream_info) F(avformat_index_get_entries_count)           \
  F(avformat_open_input) F(avio_alloc_context) F(avio_context_free)
// FFmpeg 7 moved what a track says beside its packets.
#if LIBAVFORMAT_VERSION_MAJOR < 61
#  define PLEIAD_SIDE_DATA_FUNCTION(F) F(av_stream_get_side_data)
#else
#  define PLEIAD_SIDE_DATA_FUNCTION(F) F(av_packet_side_data_get)
#endif
#define PLEIAD_SWSCALE_FUNCTIONS(F)                                          \
  F(sws_freeContext) F(sws_getCoefficients) F(sws_getContext) F(sws_scale)   \
  F(sws_setColorspaceDetails)
#define PLEIAD_SOXR_FUNCTIONS(F)                                             \
  F(soxr_create) F(soxr_delete) F(soxr_process) F(soxr_quality_spec)         \
  F(soxr_runtime_spec)
// clang-format on

/// Each as its header declares it.
struct StreamLibraries {
#define PLEIAD_MEMBER(name) decltype(&::name) name = nullptr;
  PLEIAD_AVUTIL_FUNCTIONS(PLEIAD_MEMBER)
  PLEIAD_AVCODEC_FUNCTIONS(PLEIAD_MEMBER)
  PLEIAD_AVFORMAT_FUNCTIONS(PLEIAD_MEMBER)
  PLEIAD_SIDE_DATA_FUNCTION(PLEIAD_MEMBER)
  PLEIAD_SWSCALE_FUNCTIONS(PLEIAD_MEMBER)
  PLEIAD_SOXR_FUNCTIONS(PLEIAD_MEMBER)
#undef PLEIAD_MEMBER
};

/// Loaded once in a process. Throws BadStream where a library is not there: "needs ... which is not
/// on this machine". A process that may open no files calls load_stream_libraries() before.
const StreamLibraries& stream_libraries();

/// What an error of FFmpeg's means; one of memory throws std::bad_alloc.
std::string ffmpeg_error(const StreamLibraries& av, int error);

// One owner of each of their objects.
struct FreePacket {
  void operator()(AVPacket* packet) const { stream_libraries().av_packet_free(&packet); }
};
struct FreeFrame {
  void operator()(AVFrame* frame) const { stream_libraries().av_frame_free(&frame); }
};
struct FreeDecoder {
  void operator()(AVCodecContext* decoder) const {
    stream_libraries().avcodec_free_context(&decoder);
  }
};
using PacketPointer = std::unique_ptr<AVPacket, FreePacket>;
using FramePointer = std::unique_ptr<AVFrame, FreeFrame>;
using DecoderPointer = std::unique_ptr<AVCodecContext, FreeDecoder>;

/// Throw std::bad_alloc.
PacketPointer make_packet();
FramePointer make_frame();

}  // namespace pleiad::media
