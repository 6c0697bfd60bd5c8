import CTAPHID

enum ChannelIDs {
  static let own = ChannelID(rawValue: 0x0102_0304)
}
