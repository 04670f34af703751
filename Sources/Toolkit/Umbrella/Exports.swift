// `import Toolkit` brings every public layer and what is built in.

@_exported public import Batch
@_exported public import Licence
@_exported public import Loudness
@_exported public import LuaRuntime
@_exported public import MediaCore
@_exported public import MediaModel
@_exported public import Pipeline
@_exported public import Playback
@_exported public import Plugins
@_exported public import Scripting
