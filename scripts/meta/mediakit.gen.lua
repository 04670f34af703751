--- @meta mediakit
-- Printed by `mediakit lua-stub`. Do not edit: the tables in Sources are the source.
error('Cannot require a meta file')

--- What kind of failure; see `docs/errors.gen.md`.
---@alias mk.ErrorCode
---| "cancelled"
---| "timed-out"
---| "invalid-state"
---| "bad-argument"
---| "internal"
---| "not-found"
---| "permission-denied"
---| "io-failed"
---| "container-malformed"
---| "container-unsupported"
---| "no-such-stream"
---| "decoder-not-found"
---| "decode-failed"
---| "encoder-not-found"
---| "encode-failed"
---| "filter-failed"
---| "output-failed"
---| "disk-full"
---| "output-exists"
---| "script-failed"
---| "plugin-conflict"
---| "plugin-unusable"
---| "not-licensed"

--- The events of a player.
---@alias mk.PlayerEventName
---| "state_changed"
---| "status_changed"
---| "media_info"
---| "position_timer"
---| "seek_done"
---| "ended"
---| "warning"
---| "filter_ignored"
---| "error"
---| "format_changed"
---| "track_changed"
---| "video_codec_not_support"
---| "audio_codec_not_support"
---| "decoder_changed"
---| "switch_to_software_decoder"
---| "switch_to_backup_url"

--- What can be read and observed of a player.
---@alias mk.PlayerProperty
---| "state"
---| "status"
---| "position"
---| "duration"
---| "paused"
---| "tracks"
---| "frames"
---| "filters"
---| "info"

--- What the engine of a player is doing.
---@alias mk.PlayerState
---| "idle"
---| "opening"
---| "buffering"
---| "ready"
---| "ended"
---| "failed"

--- The public status of a player.
---@alias mk.PlayerStatus
---| "idle"
---| "initialized"
---| "prepared"
---| "started"
---| "paused"
---| "stopped"
---| "completion"
---| "error"

--- How a file of a batch ended.
---@alias mk.BatchStatus
---| "done"
---| "skipped"
---| "failed"
---| "planned"
---| "cancelled"

--- What a license can be asked for.
---@alias mk.PremiumFeature
---| "MediaLoader"
---| "PreRenderOption"
---| "PremiumAbrStrategy"
---| "H265Adaptive"
---| "DashSupport"
---| "EXTSubtitle"
---| "H266Support"
---| "AudioEnhance"

--- When a player waits for a script.
---@alias mk.HookName
---| "before_open"
---| "open_failed"
---| "backup_url"

--- What a stream carries.
---@alias mk.MediaKind
---| "video"
---| "audio"
---| "subtitle"
---| "data"
---| "attachment"

--- How exactly a seek lands.
---@alias mk.SeekMode
---| "keyframe"
---| "exact"

--- What plugins are grouped by.
---@alias mk.PluginKind
---| "source"
---| "demuxer"
---| "decoder"
---| "encoder"
---| "muxer"
---| "filter"
---| "sink"

--- How JSON is laid out: on one line, or indented over several.
---@alias mk.json.Style
---| "compact"
---| "pretty"

--- How a player is set up.
---@class mk.PlayerOptions
---@field clock? "realtime"|"free" What paces playback: real time, or as fast as possible.
---@field sink? string Where frames end, file when only an output is named; see `mediakit plugins` for the sinks there are.
---@field output? string File a container sink writes; standard output when not set or '-'.
---@field start? number Where playback begins. In s.
---@field duration? number How much is played. In s.
---@field disable_video? boolean Plays sound only.
---@field disable_audio? boolean Plays pictures only.
---@field skip_unsupported? boolean Plays the sound where the picture's codec can't be decoded, and the other way round; without it that is an error.
---@field enable_hardware_decoder? boolean Decodes pictures on a device (VAAPI, CUDA, Vulkan, …) where the machine has one for the codec, and in software where not or as soon as it fails.
---@field autoplay? boolean Plays as soon as it is opened.
---@field position_interval? number How often the position is posted as an event. In s.
---@field open_timeout? number How long opening may take, hooks not counted. In s.
---@field hook_timeout? number How long a hook may hold up opening. In s.
---@field backup_after_late? number How long pictures may come slower than nine tenths of real time before a backup URL is asked for; 0 for never. In s.
---@field container? string Container by FFmpeg's short name; inferred from the output's name when not set.
---@field audio_encoder? string Encoder or codec for sound; the input's codec where the container takes it, else the container's default.
---@field audio_bitrate? integer Bit rate of encoded sound; when not set, at least the input's where the codec stays the same, else 64 kbit/s a channel and at least 128 kbit/s, or the encoder's own choice where it can't have that. In bit/s.
---@field sample_rate? integer Sample rate of the output; when not set, the input's, or one near it that the encoder takes, with a warning where it is lower. In Hz.
---@field layout? string Channel layout of the output (mono, stereo, 5.1, ...); when not set, the input's, or one that the encoder takes, with a warning where it has fewer channels.
---@field audio_options? string Private options of the audio encoder, as name=value:name=value.
---@field video_encoder? string Encoder or codec for pictures; they are copied when not set.
---@field video_bitrate? integer Bit rate of encoded pictures; the encoder's own choice when not set. In bit/s.
---@field video_options? string Private options of the video encoder, as name=value:name=value.
---@field container_options? string Private options of the container, as name=value:name=value.
---@field bit_exact? boolean Leaves out what differs between runs and versions.
---@field filters? string|mk.Chain|mk.ChainElement[] What sound passes from the beginning.
---@field sink_options? table<string, boolean|number|string> Options of the sink itself.

--- What a listener gets; which fields there are depends on the name.
---@class mk.PlayerEvent
---@field name mk.PlayerEventName Which event.
---@field player mk.Player Whose event.
---@field state? mk.PlayerState The engine's state. (`state_changed`)
---@field status? mk.PlayerStatus The public status. (`status_changed`)
---@field info? mk.MediaSummary The medium. (`media_info`)
---@field position? number Where playback is, in seconds. (`position_timer`, `seek_done`)
---@field message? string What happened. (`warning`, `error`, `video_codec_not_support`, `audio_codec_not_support`, `switch_to_software_decoder`, `switch_to_backup_url`)
---@field label? string The filter's label. (`filter_ignored`)
---@field reasons? string[] One reason an option. (`filter_ignored`)
---@field code? mk.ErrorCode What kind of failure. (`error`, `switch_to_software_decoder`, `switch_to_backup_url`)
---@field stream? integer The stream's index. (`format_changed`, `track_changed`, `video_codec_not_support`, `audio_codec_not_support`, `decoder_changed`, `switch_to_software_decoder`)
---@field format? string The format of sound. (`format_changed`)
---@field kind? mk.MediaKind What kind of stream. (`track_changed`)
---@field codec? string FFmpeg's name of the codec. (`video_codec_not_support`, `audio_codec_not_support`)
---@field decoder? mk.DecoderChoice What decodes the stream now, and why. (`decoder_changed`)
---@field url? string What was played, or was to be. (`switch_to_backup_url`)
---@field backup? string What is played in its place. (`switch_to_backup_url`)
---@field device? string The kind of device: `vaapi`, `cuda`, …. (`switch_to_software_decoder`)

--- A stream that can be chosen.
---@class mk.Track
---@field index integer Its place in the container, from 0.
---@field kind mk.MediaKind What it carries.
---@field codec string FFmpeg's name of the codec.
---@field decoder? mk.DecoderChoice What decodes it, and why; nil where it does not play.
---@field language? string Its language tag.
---@field selected boolean Whether it plays.

--- A medium in short.
---@class mk.MediaSummary
---@field url string Where it came from.
---@field container string FFmpeg's short name of the container.
---@field duration? number How long it lasts, in seconds.
---@field seekable boolean Whether it can be sought in.
---@field bit_rate? integer Bits a second over all.
---@field size? integer Size in bytes.
---@field metadata table<string, string> Metadata of the whole.
---@field streams table[] The streams: index, kind, codec, decoder, format.

--- What a medium holds.
---@class mk.MediaInfo
---@field schema string The version of this table.
---@field url string Where it came from.
---@field container string FFmpeg's short name of the container.
---@field duration? number How long it lasts, in seconds.
---@field start_time number The timestamp it begins at, in seconds.
---@field bit_rate? integer Bits a second over all.
---@field size? integer Size in bytes.
---@field seekable boolean Whether it can be sought in.
---@field metadata table<string, string> Metadata of the whole.
---@field streams mk.StreamInfo[] The streams, by index.
---@field chapters mk.Chapter[] The chapters, in order.

--- One stream of a medium.
---@class mk.StreamInfo
---@field index integer Its place in the container, from 0.
---@field kind mk.MediaKind What it carries.
---@field codec string FFmpeg's name of the codec.
---@field tag? string The container's tag of the codec.
---@field profile? string The codec's profile.
---@field bit_rate? integer Bits a second.
---@field start_time? number Its first timestamp, in seconds.
---@field duration? number How long it lasts, in seconds.
---@field time_base string What one tick lasts: `1/48000`.
---@field language? string Its language tag.
---@field disposition string[] `default`, `forced`, `attached_pic`, ….
---@field decoder? mk.DecoderChoice What decodes it, and why; nil where nothing does, or nothing needs to.
---@field sample_rate? integer Sound: samples a second.
---@field channels? integer Sound: how many channels.
---@field layout? string Sound: which channels.
---@field sample_format? string Sound: kind of samples.
---@field bits_per_sample? integer Sound: bits used.
---@field width? integer Pictures: columns.
---@field height? integer Pictures: rows.
---@field pixel_format? string Pictures: kind of pixels.
---@field frame_rate? string Pictures: frames a second.
---@field sample_aspect_ratio? string Pictures: width of a pixel to its height.
---@field rotation? integer Pictures: degrees by which they are turned clockwise when shown.
---@field color_range? string Pictures: `tv` or `pc`.
---@field color_matrix? string Pictures: `bt709`, ….
---@field color_primaries? string Pictures: `bt709`, ….
---@field color_transfer? string Pictures: `bt709`, ….
---@field hdr? boolean Pictures: high dynamic range.
---@field metadata table<string, string> Metadata of the stream.

--- The decoder that was taken for a stream.
---@class mk.DecoderChoice
---@field name string The decoder plugin.
---@field version string The version of the code behind it.
---@field file? string The file it was loaded from.
---@field device? string What it decodes on: `vaapi`, …; nil for the processor.
---@field reason string Why it was taken, in words for people.

--- A named part of a medium.
---@class mk.Chapter
---@field id integer The container's number of it.
---@field start number Where it begins, in seconds.
---@field end number Where it ends, in seconds; a word of Lua, so write `chapter["end"]`.
---@field metadata table<string, string> Metadata; `title` is its name.

--- Figures of a meter by EBU R 128. Silence, and sound too short for a figure, is `-math.huge` (`-inf`) in LUFS, dBTP and dBFS.
---@class mk.Loudness
---@field integrated number Loudness, in LUFS.
---@field range number Loudness range, in LU.
---@field momentary_max number Loudest 400 ms, in LUFS.
---@field short_term_max number Loudest 3 s, in LUFS.
---@field true_peak number True peak, in dBTP.
---@field sample_peak number Largest sample, in dBFS.
---@field broken_samples integer Samples that were no numbers.
---@field frames integer Samples of each channel that were measured.
---@field threshold? number The relative gate, in LUFS; nil in the results of a batch.
---@field duration? number How long it lasts, in seconds; nil in the results of a batch.

--- Figures of many files.
---@class mk.MeasureSummary
---@field schema string The version of this table.
---@field files mk.MeasuredFile[] One entry a file, in order; what was not found comes last.
---@field album? mk.Loudness All files as one programme.

--- What was measured of one file, or why it was not.
---@class mk.MeasuredFile
---@field input string The file.
---@field loudness? mk.Loudness Its figures.
---@field error? mk.ErrorCode What kind of failure.
---@field message? string Why it failed.
---@field warnings? string[] What a user should know.

--- What is measured, and how.
---@class mk.MeasureOptions
---@field filter? string|mk.Chain|mk.ChainElement[] What the sound passes before it is measured.
---@field stream? integer Index of the stream; the one a player would choose if nil.
---@field jobs? integer Files measured at once; one a core when not given.

--- What is known of a file without reading it.
---@class mk.FileInfo
---@field kind string `file`, `folder` or `other`.
---@field size integer The size in bytes.
---@field modified number When it was last written, in seconds since 1970.

--- How a program ended and what it wrote.
---@class mk.ProgramResult
---@field status integer Its exit status; 128 and more where a signal ended it.
---@field output string What it wrote on standard output.
---@field errors string What it wrote on standard error.

--- One filter as a table: its name first, then its options by name.
---@class mk.ChainElement
---@field [1] string The filter's name.
---@field label? string Its name in the chain.
---@field enabled? boolean Whether sound goes through it; true when not given.
---@field [string] boolean|number|string Options by name.

--- One filter of a chain.
---@class mk.ChainFilter
---@field label string Its label, or else its name or text.
---@field text string It in the chain language.
---@field enabled boolean Whether sound goes through it.

--- A filter that chains can name.
---@class mk.FilterSummary
---@field name string Its name.
---@field origin string `mediakit` or `libavfilter`.
---@field summary string What it does.

--- An option of a filter.
---@class mk.OptionInfo
---@field name string Its name.
---@field values string What values it takes: `1…10`, `a|b`, `yes|no`.
---@field default? string The value when none is given.
---@field unit string `dB`, `LUFS`, `s`, …; empty for plain numbers and words.
---@field live boolean Whether a change takes effect while playing.
---@field summary string What it does.

--- A plugin of the program.
---@class mk.PluginSummary
---@field kind mk.PluginKind What kind of plugin.
---@field name string Its name.
---@field version string The version of the code behind it.
---@field rank integer Higher wins where several fit.
---@field enabled boolean Whether it is on.
---@field file? string The file it was loaded from; nil for what is built in.
---@field summary string What it does.

--- A plugin file, which may hold several plugins.
---@class mk.PluginFile
---@field path string Its absolute path.
---@field name string What it calls itself, for `unload`.
---@field version string Its version.
---@field license string Its licence, as an SPDX expression.
---@field summary string What it brings.

--- How a batch is run.
---@class mk.BatchOptions
---@field output? string Name of each output, with {dir} {rel} {name} {stem} {ext} {index}; missing folders are made.
---@field in_place? boolean Replaces each input by its result, atomically; leaves alone what would lose something by it, and what is a result already.
---@field jobs? integer Files worked on at once; 0 for one a core.
---@field report? string Writes what became of each file: .json, or .csv for rows.
---@field journal? string Remembers finished files; .mediakit-journal.jsonl beside the outputs when not set.
---@field force? boolean Does finished files again; in place, replaces also what is a result already or would lose something.
---@field keep_existing? boolean Leaves outputs alone that are there and unknown to the journal; they count as failed.
---@field fail_fast? boolean Begins nothing new after the first failure.
---@field album? boolean Gives all files of a loudness normalisation one gain.
---@field dry_run? boolean Shows what would be done, and touches nothing.
---@field extensions? string Extensions taken from folders, with commas; the usual media files when not set.
---@field container? string Container by FFmpeg's short name; inferred from the output's name when not set.
---@field audio_encoder? string Encoder or codec for sound; the input's codec where the container takes it, else the container's default.
---@field audio_bitrate? integer Bit rate of encoded sound; when not set, at least the input's where the codec stays the same, else 64 kbit/s a channel and at least 128 kbit/s, or the encoder's own choice where it can't have that. In bit/s.
---@field sample_rate? integer Sample rate of the output; when not set, the input's, or one near it that the encoder takes, with a warning where it is lower. In Hz.
---@field layout? string Channel layout of the output (mono, stereo, 5.1, ...); when not set, the input's, or one that the encoder takes, with a warning where it has fewer channels.
---@field audio_options? string Private options of the audio encoder, as name=value:name=value.
---@field video_encoder? string Encoder or codec for pictures; they are copied when not set.
---@field video_bitrate? integer Bit rate of encoded pictures; the encoder's own choice when not set. In bit/s.
---@field video_options? string Private options of the video encoder, as name=value:name=value.
---@field container_options? string Private options of the container, as name=value:name=value.
---@field inputs? string|string[] Files, folders, patterns and `synth:` text, where all is one table.
---@field filter? string|mk.Chain|mk.ChainElement[] What each input's sound passes, where all is one table.
---@field on_event? fun(event: mk.BatchEvent) Is called as the batch goes on.

--- What became of a batch.
---@class mk.BatchSummary
---@field done integer Files done in this run.
---@field planned integer Files that a dry run would do.
---@field skipped integer Files that an earlier run has finished, or that are left alone.
---@field failed integer Files that could not be done.
---@field cancelled integer Files given up or not begun.
---@field wall number How long it took, in seconds.
---@field exit_status integer What a command would end with.
---@field text string All that in one line.
---@field files mk.BatchFile[] One entry a file, in order; what was not found comes last.

--- What became of one file.
---@class mk.BatchFile
---@field input string The input.
---@field output? string The output.
---@field status mk.BatchStatus How it ended.
---@field error? mk.ErrorCode What kind of failure.
---@field message? string Why it failed or is left alone.
---@field duration? number How long the input lasts, in s.
---@field wall number How long the work took, in seconds.
---@field before? mk.Loudness Loudness of what reaches `normalizer`: of the input, where no filter comes before it; nil without one.
---@field after? mk.Loudness Loudness of the output; nil without `normalizer`.
---@field gain? number The gain that was applied, in dB.
---@field limited boolean Whether peaks were limited.
---@field encoder? string The encoder of the sound.
---@field warnings string[] What a user should know.

--- What a batch says as it goes on.
---@class mk.BatchEvent
---@field event string `began`, `started`, `progress` or `ended`.
---@field files? integer How many files (`began`).
---@field bytes? integer How many bytes (`began`).
---@field index? integer Which file, from 1.
---@field input? string The input (`started`).
---@field output? string The output (`started`).
---@field fraction? number 0 to 1 (`progress`).
---@field position? number In seconds (`progress`).
---@field duration? number In seconds (`progress`).
---@field file? mk.BatchFile The result (`ended`).

--- How the license stands.
---@class mk.LicenseStatus
---@field enforced boolean Whether a license is asked for; else all is granted.
---@field valid boolean Whether it holds; true where none is asked for.
---@field reason string `open`, `licensed`, or why not: `expired`, `tampered`, ….
---@field message string The same for people, with what to do.
---@field path? string The license file.
---@field id? string The issuer's number of the license.
---@field customer? string Whom it is for.
---@field issued? string When it was made, in UTC: `2026-11-30T12:00:00Z`.
---@field not_before? string From when on it holds.
---@field expires? string Until when it holds.
---@field features mk.LicenseFeature[] Every premium feature there is, and how it stands.

--- A premium feature.
---@class mk.LicenseFeature
---@field name string Its name.
---@field number integer Its number.
---@field valid boolean Whether it may be used.
---@field reason string `open`, `licensed`, or why not.
---@field message string The same for people.
---@field summary string What it is.

--- Plays one medium at a time into one sink; several can play at once.
---@class mk.Player
local Player = {}

--- Opens a medium and waits until its streams are known.
---@param url string A file, `-` for standard input, or `synth:` text.
---@return mk.MediaInfo? info What the medium holds.
---@return string? message Why it failed.
---@return mk.ErrorCode? code What kind of failure.
function Player:open(url) end

--- Opens a medium beside the script.
---@param url string A file, `-` for standard input, or `synth:` text.
---@param fn? fun(info?: mk.MediaInfo, message?: string, code?: mk.ErrorCode) Is called with the facts, or with nil, a message and a code.
---@return mk.Job job The work, to wait for or cancel.
function Player:open_async(url, fn) end

--- Plays from where it is; after the end, from the start.
function Player:play() end

--- Holds playback.
function Player:pause() end

--- Ends the medium; an output that is not complete is dropped.
function Player:stop() end

--- Ends the player for good.
function Player:close() end

--- Waits until playback has ended or was stopped; fails with what playback failed with, and where nothing plays and nothing will start it.
---@param timeout? number The longest wait, in seconds; for ever if not given.
---@return true? done True; nil where it failed.
---@return string? message Why it failed.
---@return mk.ErrorCode? code What kind of failure.
function Player:wait(timeout) end

--- Moves playback and waits until it goes on from there.
---@param time number Target, in seconds from the start.
---@param mode? mk.SeekMode `keyframe` (when not given) or `exact`.
---@return number? position Where it went on, in seconds.
---@return string? message Why it failed.
---@return mk.ErrorCode? code What kind of failure.
function Player:seek(time, mode) end

--- Plays another stream of a kind, or none of it.
---@param kind mk.MediaKind What kind.
---@param index? integer The stream's index, from `tracks`; nil for none.
---@return true? done True; nil where it failed.
---@return string? message Why it failed.
---@return mk.ErrorCode? code What kind of failure.
function Player:select(kind, index) end

--- Tells what the engine is doing.
---@return mk.PlayerState state The value now.
function Player:state() end

--- Tells the public status.
---@return mk.PlayerStatus status The value now.
function Player:status() end

--- Tells where playback is, in seconds.
---@return number position The value now.
function Player:position() end

--- Tells how long the medium lasts, in seconds.
---@return number? duration The value now.
function Player:duration() end

--- Lists the streams that can be chosen.
---@return mk.Track[] tracks The value now.
function Player:tracks() end

--- Lists the filters that sound passes.
---@return mk.ChainFilter[] filters The value now.
function Player:filters() end

--- Tells what is known of the medium.
---@return mk.MediaSummary? info The value now.
function Player:info() end

--- Tells the value of a property.
---@param property mk.PlayerProperty Its name.
---@return any value The value; nil where there is none.
function Player:get(property) end

--- Tells how the player is set up.
---@return mk.PlayerOptions options The options in force, without `filters` and `sink_options`.
function Player:config() end

--- Sets options anew, while nothing is open.
---@param options mk.PlayerOptions What changes.
---@return true? done True; nil where it failed.
---@return string? message Why it failed.
---@return mk.ErrorCode? code What kind of failure.
function Player:configure(options) end

--- Chooses where frames end, while nothing is open: where `sink` is given, output, container and encoders begin anew, and what the table leaves out is not set.
---@param options mk.PlayerOptions `sink`, `output`, and what the sink needs.
---@return true? done True; nil where it failed.
---@return string? message Why it failed.
---@return mk.ErrorCode? code What kind of failure.
function Player:set_sink(options) end

--- Puts another chain in place of the filters; what is equal keeps running.
---@param chain string|mk.Chain|mk.ChainElement[] The chain; an empty list for none.
---@return true? done True; nil where it failed.
---@return string? message Why it failed.
---@return mk.ErrorCode? code What kind of failure.
function Player:use(chain) end

--- Adds a filter behind the others.
---@param filter string|mk.Chain|mk.ChainElement One filter.
---@param label? string Its label; the one it brings when not given.
---@return true? done True; nil where it failed.
---@return string? message Why it failed.
---@return mk.ErrorCode? code What kind of failure.
function Player:add_filter(filter, label) end

--- Takes a filter out.
---@param label string Its label, or the name of a filter that is no libavfilter text.
---@return true? done True; nil where it failed.
---@return string? message Why it failed.
---@return mk.ErrorCode? code What kind of failure.
function Player:remove_filter(label) end

--- Lets sound pass a filter, or go past it.
---@param label string Its label, or the name of a filter that is no libavfilter text.
---@param enabled boolean Whether sound goes through it.
---@return true? done True; nil where it failed.
---@return string? message Why it failed.
---@return mk.ErrorCode? code What kind of failure.
function Player:enable_filter(label, enabled) end

--- Changes options of a filter; what can't change while playing is said by an event.
---@param label string Its label, or the name of a filter that is no libavfilter text.
---@param options table<string, boolean|number|string> What changes.
---@return true? done True; nil where it failed.
---@return string? message Why it failed.
---@return mk.ErrorCode? code What kind of failure.
function Player:update_filter(label, options) end

--- Calls a function at each event of a name.
---@param event mk.PlayerEventName Which events.
---@param fn fun(event: mk.PlayerEvent) The function.
---@return mk.Subscription? subscription Ends the calls.
---@return string? message Why it failed.
---@return mk.ErrorCode? code What kind of failure.
function Player:on(event, fn) end

--- Calls a function with a property's value, at first and after each change.
---@param property mk.PlayerProperty Its name.
---@param fn fun(value: any, property: mk.PlayerProperty) The function; changes while the script is busy are one.
---@return mk.Subscription? subscription Ends the calls.
---@return string? message Why it failed.
---@return mk.ErrorCode? code What kind of failure.
function Player:observe(property, fn) end

--- Ends all observations of a property.
---@param property mk.PlayerProperty Its name.
function Player:unobserve(property) end

--- Calls a function that the player waits for. What is opened must be granted by its first name too, so made-up names begin with `synth:`.
---@param hook mk.HookName When.
---@param fn fun(hook: mk.Hook) The function.
---@return true? done True; nil where it failed.
---@return string? message Why it failed.
---@return mk.ErrorCode? code What kind of failure.
function Player:hook(hook, fn) end

--- A checked list of filters; `tostring` gives its text.
---@class mk.Chain
local Chain = {}

--- Lists the filters.
---@return mk.ChainFilter[] filters In order.
function Chain:filters() end

--- Makes a longer chain.
---@param filters string|mk.Chain|mk.ChainElement[] What comes behind the chain.
---@return mk.Chain chain The longer chain.
function Chain:plus(filters) end

--- Work that goes on beside the script, begun by an `…_async` function.
---@class mk.Job
local Job = {}

--- Ends the work: its callback gets nil, a message and `cancelled`, or the results where it was done before.
function Job:cancel() end

--- Tells whether the work has ended.
---@return boolean done Whether it has.
function Job:is_done() end

--- Waits for the end and gives the results.
---@param timeout? number The longest wait, in seconds; for ever if not given.
---@return any? ... What the callback gets, failures too.
---@return string? message Why it failed.
---@return mk.ErrorCode? code What kind of failure.
function Job:wait(timeout) end

--- A timer, made by `mk.after` or `mk.every`.
---@class mk.Timer
---@field period number Seconds between two calls; a change counts from the next `resume` or call on.
local Timer = {}

--- Holds the timer; `resume` starts it again.
function Timer:stop() end

--- Calls a period from now, and so on.
function Timer:resume() end

--- Ends the timer for good.
function Timer:kill() end

--- Tells whether it will call.
---@return boolean enabled Whether it runs.
function Timer:is_enabled() end

--- A series of calls, begun by `player:on` or `player:observe`.
---@class mk.Subscription
local Subscription = {}

--- Calls no more.
function Subscription:cancel() end

--- One stop at a hook; the player goes on when the function returns.
---@class mk.Hook
---@field url string What is opened next; a change puts another in place.
---@field name mk.HookName Which hook. (read only)
---@field codec string? FFmpeg's name of the codec that is to blame; nil but at `backup_url`. (read only)
---@field error string? Why opening failed, or another URL is wanted; nil at `before_open`. (read only)
---@field code string? What kind of failure; nil at `before_open`. (read only)
local Hook = {}

--- Holds the player up beyond the function's end, until `cont`.
function Hook:defer() end

--- Lets the player go on.
function Hook:cont() end

--- The one value `mk.json.null`.
---@class mk.json.Null
local Null = {}

--- The toolkit; also what `require "mediakit"` gives.
---@class mk
---@field version string The version of the program.
---@field args string[] The arguments of the script; also the global `arg`.
mk = {}

--- Runs callbacks until nothing can call back any more, or the script quits.
function mk.run() end

--- Waits, running callbacks meanwhile.
---@param time number How long, in seconds.
function mk.wait(time) end

--- Ends the script: players close, and nothing after the call runs.
---@param status? integer The exit status, 0 to 255; 0 when not given.
function mk.quit(status) end

--- Tells a time that only goes forward, to measure how long something takes.
---@return number time Seconds since an arbitrary moment.
function mk.now() end

--- Calls a function once, later.
---@param time number How long from now, in seconds.
---@param fn fun() The function.
---@return mk.Timer timer The timer.
function mk.after(time, fn) end

--- Calls a function again and again.
---@param period number The time between two calls, in seconds.
---@param fn fun() The function.
---@return mk.Timer timer The timer.
function mk.every(period, fn) end

--- Tells container, streams, chapters and metadata of a medium.
---@param url string A file, `-` for standard input, or `synth:` text.
---@return mk.MediaInfo? info What the medium holds.
---@return string? message Why it failed.
---@return mk.ErrorCode? code What kind of failure.
function mk.probe(url) end

--- Probes beside the script.
---@param url string A file, `-` for standard input, or `synth:` text.
---@param fn fun(info?: mk.MediaInfo, message?: string, code?: mk.ErrorCode) Is called with the facts, or with nil, a message and a code.
---@return mk.Job job The work, to wait for or cancel.
function mk.probe_async(url, fn) end

--- Measures loudness and true peak of a medium's sound (EBU R 128).
---@param url string A file or `synth:` text.
---@param options? mk.MeasureOptions What is measured.
---@return mk.Loudness? loudness What the meter says.
---@return string? message Why it failed.
---@return mk.ErrorCode? code What kind of failure.
function mk.measure(url, options) end

--- Measures beside the script.
---@param url string A file or `synth:` text.
---@param options? mk.MeasureOptions What is measured.
---@param fn fun(loudness?: mk.Loudness, message?: string, code?: mk.ErrorCode) Is called with the figures, or with nil, a message and a code.
---@return mk.Job job The work, to wait for or cancel.
function mk.measure_async(url, options, fn) end

--- Measures many files side by side, and as one album.
---@param inputs string[] Files, folders, patterns and `synth:` text.
---@param options? mk.MeasureOptions What is measured.
---@return mk.MeasureSummary? summary All figures.
---@return string? message Why it failed.
---@return mk.ErrorCode? code What kind of failure.
function mk.measure_all(inputs, options) end

--- Makes a checked filter chain, for `player:use`, `mk.batch` and `mk.measure` alike.
---@param filters string|mk.Chain|mk.ChainElement[] Text of the chain language, or a list of texts, filter tables and chains.
---@return mk.Chain chain The chain; it never changes.
function mk.chain(filters) end

--- Makes a player.
---@param options? mk.PlayerOptions Sink, clock, output, limits and filters.
---@return mk.Player? player The player; nothing is open yet.
---@return string? message Why it failed.
---@return mk.ErrorCode? code What kind of failure.
function mk.player(options) end

--- Sets the function that names another URL where a player can't decode pictures, or for `backup_after_late` seconds not fast enough. Playback goes on there at the same position, with the event `switch_to_backup_url`. Where it gives nil or takes longer than `hook_timeout`, the player fails with the error it had, or plays on where it is only late. Each URL is asked for once and tried once.
---@param fn? fun(scene: string, codec: string, url: string): (string|nil) Gets who asks (`player`; `loader` is kept for preloading), the codec (`h265`, `vvc`, or FFmpeg's name) and the URL; nil to ask nobody.
function mk.on_backup_url(fn) end

--- Runs a chain over many files, restartably; one bad file never stops the rest.
---@param inputs string|string[]|mk.BatchOptions Files, folders, patterns and `synth:` text; or all options as one table.
---@param chain? string|mk.Chain|mk.ChainElement[] What each input's sound passes; nil copies all streams.
---@param options? mk.BatchOptions Where outputs go, and how.
---@return mk.BatchSummary? summary What became of each.
---@return string? message Why it failed.
---@return mk.ErrorCode? code What kind of failure.
---@overload fun(options: mk.BatchOptions): mk.BatchSummary?, string?, string?
function mk.batch(inputs, chain, options) end

--- Runs a batch beside the script.
---@param inputs string|string[]|mk.BatchOptions Files, folders, patterns and `synth:` text; or all options as one table.
---@param chain? string|mk.Chain|mk.ChainElement[] What each input's sound passes; nil copies all streams.
---@param options? mk.BatchOptions Where outputs go, and how.
---@param fn? fun(summary?: mk.BatchSummary, message?: string, code?: mk.ErrorCode) Is called with the summary, or with nil, a message and a code.
---@return mk.Job job The work, to wait for or cancel.
function mk.batch_async(inputs, chain, options, fn) end

--- Lists the files that match a pattern (`*`, `?`, `[a-z]`, and `**` for any number of folders: `music/**` is every file below `music`). Folders are left out, and so are names that begin with a dot, unless the pattern writes it.
---@param pattern string The pattern; relative to the working folder.
---@return string[] paths The paths, in order.
function mk.glob(pattern) end

--- Tells what is known of a file or folder.
---@param path string The path.
---@return mk.FileInfo? info The facts; nil where nothing is.
---@return string? message Why it failed.
---@return mk.ErrorCode? code What kind of failure.
function mk.file_info(path) end

--- Reads a whole file.
---@param path string The path.
---@return string? text Its bytes.
---@return string? message Why it failed.
---@return mk.ErrorCode? code What kind of failure.
function mk.read_file(path) end

--- Writes a whole file, replacing what is there.
---@param path string The path.
---@param text string Its bytes.
---@return true? done True; nil where it failed.
---@return string? message Why it failed.
---@return mk.ErrorCode? code What kind of failure.
function mk.write_file(path, text) end

--- Runs a program and waits for its end; needs `--allow-run`.
---@param program string Its name, looked up in PATH, or its path.
---@param arguments? string[] Its arguments; no shell reads them.
---@return mk.ProgramResult? result What it did.
---@return string? message Why it failed.
---@return mk.ErrorCode? code What kind of failure.
function mk.execute(program, arguments) end

--- Lines for people on standard error, shown from `--log-level` on.
---@class mk.log
mk.log = {}

--- Says what failed.
---@param ... any Values, shown with a blank between them; tables as JSON.
function mk.log.error(...) end

--- Says what a user should know though work goes on.
---@param ... any Values, shown with a blank between them; tables as JSON.
function mk.log.warning(...) end

--- Says what was done.
---@param ... any Values, shown with a blank between them; tables as JSON.
function mk.log.info(...) end

--- Says what a developer wants to see.
---@param ... any Values, shown with a blank between them; tables as JSON.
function mk.log.debug(...) end

--- JSON as text and as values.
---@class mk.json
---@field null mk.json.Null What null is in Lua; nil would leave a hole.
mk.json = {}

--- Writes a value as JSON; an empty table becomes an object, an infinite number null.
---@param value any A list, a table with names, or a plain value.
---@param style? mk.json.Style How it is laid out; `compact` when not given.
---@return string text The JSON.
function mk.json.encode(value, style) end

--- Reads JSON; null becomes `mk.json.null`.
---@param text string The JSON.
---@return any value What it says.
function mk.json.decode(text) end

--- The filters that chains can name.
---@class mk.filters
mk.filters = {}

--- Lists all filters, ours first.
---@return mk.FilterSummary[] filters The filters.
function mk.filters.list() end

--- Tells the options of a filter.
---@param name string The filter; `lavfi.NAME` means libavfilter's.
---@return mk.OptionInfo[]? options The options, in order.
---@return string? message Why it failed.
---@return mk.ErrorCode? code What kind of failure.
function mk.filters.describe(name) end

--- What the program can read, decode, filter, encode and write with. Changes hold for what is opened or made from then on: what plays goes on as it is.
---@class mk.plugins
mk.plugins = {}

--- Lists all plugins.
---@return mk.PluginSummary[] plugins The plugins.
function mk.plugins.list() end

--- Tells the options of a plugin.
---@param kind mk.PluginKind What kind of plugin.
---@param name string Its name.
---@return mk.OptionInfo[]? options The options, in order.
---@return string? message Why it failed.
---@return mk.ErrorCode? code What kind of failure.
function mk.plugins.describe(kind, name) end

--- Loads a plugin file and registers all that it holds; once is enough. It runs with the program's own rights: the command line must allow it (`--allow-plugins`, `--plugin`, a plugin folder).
---@param path string The file.
---@return mk.PluginFile? file What the file says of itself.
---@return string? message Why it failed.
---@return mk.ErrorCode? code What kind of failure.
function mk.plugins.load(path) end

--- Takes a loaded file out: nothing is made of it any more, and it leaves memory when the last that was made of it is gone.
---@param name string What the file calls itself, or its path.
---@return "done"|"deferred"? result `deferred` while something of it is in use.
---@return string? message Why it failed.
---@return mk.ErrorCode? code What kind of failure.
function mk.plugins.unload(name) end

--- Lists the plugin files that are loaded.
---@return mk.PluginFile[] files In order of loading.
function mk.plugins.files() end

--- Switches a plugin on or off; what is off is never chosen.
---@param kind mk.PluginKind What kind of plugin.
---@param name string Its name.
---@param enabled boolean Whether it is on.
function mk.plugins.enable(kind, name, enabled) end

--- Changes which plugin is preferred where several fit.
---@param kind mk.PluginKind What kind of plugin.
---@param name string Its name.
---@param rank integer Higher is taken first; built-in ones have 0.
function mk.plugins.rank(kind, name, rank) end

--- Allows or forbids a codec, whatever plugin decodes it; all are allowed at first.
---@param codec string Its name: `vvc`, `hevc` or `h265`, `aac`, or that of a plugin's own.
---@param enabled boolean Whether it may be decoded.
function mk.plugins.enable_codec(codec, enabled) end

--- Sets options of a demuxer or a decoder, for what is opened from then on; the others keep their values.
---@param kind mk.PluginKind `demuxer` or `decoder`.
---@param name string Its name.
---@param options table<string, boolean|number|string> Values by name; `describe` lists them.
function mk.plugins.set_options(kind, name, options) end

--- What premium features a license grants; everything unless one is asked for.
---@class mk.license
mk.license = {}

--- Calls a function when a player, batch or measurement first uses a premium feature.
---@param fn fun(feature: mk.PremiumFeature, valid: boolean, message: string, number: integer) The function; must be set before the first player, batch or measurement.
function mk.license.on_verify(fn) end

--- Reads a license; from now on one is asked for, whether it holds or not.
---@param path string The license file.
---@param key? string The issuer's public key as PEM or Base64, or a PEM file; the program's own when not given.
---@return true? done True; nil where it failed.
---@return string? message Why it failed.
---@return mk.ErrorCode? code What kind of failure.
function mk.license.load(path, key) end

--- Tells how the license stands at this moment.
---@return mk.LicenseStatus status How it stands.
function mk.license.status() end

return mk
