// `import Toolkit` brings every public layer.

@_exported public import MediaCore
@_exported public import MediaModel
