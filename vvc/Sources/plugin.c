// The descriptor of the VVC plugin.
#include "vvc.h"

static int32_t init(const mk_host *host) {
    vvc_bridge_log(host);
    return MK_OK;
}

static const mk_decoder *const decoders[] = {&vvc_decoder};
static const mk_demuxer *const demuxers[] = {
    &vvc_raw_demuxer, &vvc_mp4_demuxer, &vvc_ts_demuxer};

static const mk_plugin plugin = {
    .struct_size = sizeof plugin,
    .api_version = MK_API_VERSION,
    .name = "vvc",
    .version = "0.1.0",
    .license = "LGPL-2.1-or-later",
    .summary = "Plays VVC (H.266) from raw files, MP4 and MPEG-TS.",
    .decoders = decoders,
    .decoder_count = sizeof decoders / sizeof *decoders,
    .demuxers = demuxers,
    .demuxer_count = sizeof demuxers / sizeof *demuxers,
    .init = init,
    .shutdown = vvc_unbridge_log,
};

MK_EXPORT const mk_plugin *mediakit_plugin(const mk_host *host) {
    (void)host;
    return &plugin;
}
