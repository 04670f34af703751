// Errors, logs and bytes between FFmpeg and the host.
#include "vvc.h"

#include <libavformat/avio.h>
#include <libavutil/error.h>
#include <libavutil/log.h>
#include <libavutil/mem.h>

#include <stdio.h>
#include <string.h>

int32_t vvc_result(const mk_host *host, const char *action, int av_result) {
    if (av_result >= 0) return MK_OK;
    if (av_result == AVERROR(EAGAIN)) return MK_AGAIN;
    if (av_result == AVERROR_EOF) return MK_END;
    char reason[AV_ERROR_MAX_STRING_SIZE], sentence[256];
    av_strerror(av_result, reason, sizeof reason);
    if (reason[0] >= 'A' && reason[0] <= 'Z') reason[0] = (char)(reason[0] - 'A' + 'a');
    snprintf(sentence, sizeof sentence, "%s: %s", action, reason);
    host->set_error(sentence);
    switch (av_result) {
    case AVERROR_INVALIDDATA: return MK_INVALID_DATA;
    case AVERROR_PATCHWELCOME: return MK_UNSUPPORTED;
    case AVERROR_EXIT: return MK_CANCELLED;
    case AVERROR(ENOMEM): return MK_NO_MEMORY;
    case AVERROR(EIO): return MK_IO;
    default: return MK_FAILED;
    }
}

#ifdef VVC_PRIVATE_FFMPEG

static const mk_host *log_host;

static void forward(void *object, int level, const char *format, va_list arguments) {
    const mk_host *host = log_host;
    // What fails is told by results; a damaged stream says it once for each picture here.
    int32_t to = level <= AV_LOG_FATAL     ? MK_LOG_ERROR
                 : level <= AV_LOG_WARNING ? MK_LOG_DEBUG
                                           : MK_LOG_TRACE;
    if (!host || !host->log_shows(to)) return;
    char line[512];
    int print_prefix = 0;
    int length =
        av_log_format_line2(object, level, format, arguments, line, sizeof line, &print_prefix);
    if (length <= 0) return;
    size_t end = strlen(line);
    while (end > 0 && (unsigned char)line[end - 1] <= ' ') line[--end] = '\0';
    if (end > 0) host->log(to, line);
}

void vvc_bridge_log(const mk_host *host) {
    log_host = host;
    av_log_set_callback(forward);
}

void vvc_unbridge_log(void) {
    av_log_set_callback(av_log_default_callback);
    log_host = NULL;
}

#else

// The system's FFmpeg is the host's too, and so is its log.
void vvc_bridge_log(const mk_host *host) { (void)host; }
void vvc_unbridge_log(void) {}

#endif

static int keep(vvc_io *io, int64_t result) {
    io->failure = result == MK_CANCELLED ? MK_CANCELLED : MK_IO;
    return result == MK_CANCELLED ? AVERROR_EXIT : AVERROR(EIO);
}

static int read_bytes(void *opaque, uint8_t *buffer, int size) {
    vvc_io *io = opaque;
    if (size <= 0) return 0;
    int64_t count = io->source->read(io->source->context, buffer, (size_t)size);
    if (count < 0 || count > size) return keep(io, count);
    io->position += count;
    return count == 0 ? AVERROR_EOF : (int)count;
}

static int64_t seek_bytes(void *opaque, int64_t offset, int whence) {
    vvc_io *io = opaque;
    int64_t size = io->source->size;
    whence &= ~AVSEEK_FORCE;
    if (whence == AVSEEK_SIZE) return size >= 0 ? size : AVERROR(ENOSYS);
    if (whence == SEEK_CUR) offset += io->position;
    if (whence == SEEK_END && size < 0) return AVERROR(ENOSYS);
    if (whence == SEEK_END) offset += size;
    if (offset < 0) return AVERROR(EINVAL);
    int32_t result = io->source->seek(io->source->context, offset);
    if (result < 0) return keep(io, result);
    io->position = offset;
    return offset;
}

bool vvc_io_open(vvc_io *io, const mk_io *source) {
    enum { BUFFER = 64 * 1024 };
    *io = (vvc_io){.source = source};
    uint8_t *buffer = av_malloc(BUFFER);
    if (!buffer) return false;
    io->context = avio_alloc_context(
        buffer, BUFFER, 0, io, read_bytes, NULL, source->is_seekable ? seek_bytes : NULL);
    if (!io->context) av_free(buffer);
    else io->context->seekable = source->is_seekable ? AVIO_SEEKABLE_NORMAL : 0;
    return io->context != NULL;
}

void vvc_io_close(vvc_io *io) {
    if (!io->context) return;
    // FFmpeg may have replaced the buffer that it was given.
    av_freep(&io->context->buffer);
    avio_context_free(&io->context);
}

int64_t vvc_read_at(const mk_io *io, int64_t offset, uint8_t *buffer, size_t size) {
    int32_t result = io->seek(io->context, offset);
    if (result < 0) return result;
    size_t have = 0;
    while (have < size) {
        int64_t count = io->read(io->context, buffer + have, size - have);
        if (count < 0) return count;
        if (count == 0 || (uint64_t)count > size - have) break;
        have += (size_t)count;
    }
    return (int64_t)have;
}
