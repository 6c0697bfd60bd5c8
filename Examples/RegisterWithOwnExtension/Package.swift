// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "RegisterWithOwnExtension",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "ctap-bridge", path: "../..")],
  targets: [
    .executableTarget(
      name: "RegisterWithOwnExtension",
      dependencies: [
        .product(name: "CTAPBridge", package: "ctap-bridge"),
        .product(name: "CTAPBridgeVirtualKey", package: "ctap-bridge"),
      ],
      swiftSettings: [.swiftLanguageMode(.v6)])
  ]
)
