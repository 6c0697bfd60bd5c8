/// What is to be done with the large blob of the credential that answers an authentication.
public enum LargeBlobTask: Hashable, Sendable {
  /// Its data is read.
  case read
  /// Its data is replaced by this.
  case write([UInt8])
}

/// What became of a credential's large blob.
public enum LargeBlobResult: Hashable, Sendable {
  /// The data, or nil where the credential has none, or none that can be read.
  case read([UInt8]?)
  /// Whether the data is kept now; where it is not, what was there before is there still.
  case written(Bool)
}
