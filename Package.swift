// swift-tools-version: 6.2
import PackageDescription

/// The settings of every Swift target: Swift 6, explicit existentials and imports, no warning left standing.
let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .treatAllWarnings(as: .error),
]

/// A C library, found through pkg-config and named by its package where it is missing.
func clibrary(_ name: String, _ pkgConfig: String?, apt: String, brew: String) -> Target {
  .systemLibrary(name: name, pkgConfig: pkgConfig, providers: [.apt([apt]), .brew([brew])])
}

func library(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
  .target(name: name, dependencies: dependencies, swiftSettings: settings)
}

func tests(
  _ name: String, _ dependencies: [Target.Dependency] = [], vectors: Bool = false, exclude: [String] = []
) -> Target {
  .testTarget(
    name: name + "Tests",
    dependencies: [.byName(name: name), "BridgeTestSupport"] + dependencies,
    exclude: exclude,
    resources: vectors ? [.copy("Vectors")] : [],
    swiftSettings: settings)
}

#if os(Linux)
  let udev: [Target] = [clibrary("CUdev", "libudev", apt: "libudev-dev", brew: "")]
  let udevDependency: [Target.Dependency] = ["CUdev"]
#else
  let udev: [Target] = []
  let udevDependency: [Target.Dependency] = []
#endif

/// How the tool's release binary is linked on Linux, for a start in few milliseconds: no symbol is offered to libraries
/// that will never ask, and the C++ runtime is linked in, whose symbols would be most of what the loader looks up.
/// `scripts/link-folder` puts the latter where `-L` finds it; where it is not there the shared one serves.
let quickStart: [LinkerSetting] = [
  .unsafeFlags(
    [
      "-use-ld=lld", "-L\(Context.packageDirectory)/.build/link", "-Xclang-linker", "-static-libgcc",
      "-Xlinker", "--no-export-dynamic",
    ], .when(platforms: [.linux], configuration: .release))
]

// Debian's libutf8proc.pc defines a macro, which SwiftPM refuses with a warning; the module map links the library.
#if os(Linux)
  let hidapi = "hidapi-hidraw"
  let utf8proc: String? = nil
#else
  let hidapi = "hidapi"
  let utf8proc: String? = "libutf8proc"
#endif

let package = Package(
  name: "ctap-bridge",
  platforms: [.macOS(.v15)],
  products: [
    .library(name: "CTAPBridge", targets: ["CTAPBridge"]),
    .library(name: "CTAPBridgeVirtualKey", targets: ["CTAPBridgeVirtualKey"]),
    .executable(name: "ctap-bridge", targets: ["ctap-bridge"]),
  ],
  targets: udev + [
    clibrary("CHIDAPI", hidapi, apt: "libhidapi-dev", brew: "hidapi"),
    clibrary("CCBOR", "libcbor", apt: "libcbor-dev", brew: "libcbor"),
    clibrary("COpenSSL", "libcrypto", apt: "libssl-dev", brew: "openssl@3"),
    clibrary("CPSL", "libpsl", apt: "libpsl-dev", brew: "libpsl"),
    clibrary("CIDN2", "libidn2", apt: "libidn2-dev", brew: "libidn2"),
    clibrary("CZlib", "zlib", apt: "zlib1g-dev", brew: "zlib"),
    clibrary("CUTF8Proc", utf8proc, apt: "libutf8proc-dev", brew: "utf8proc"),

    // Part of the system's C library, which its Swift overlay leaves out.
    .systemLibrary(name: "CAllocator"),

    library("Octets"),
    library("Timing"),
    library("JSONText", ["Octets"]),
    library("RawDeflate", ["CZlib"]),
    library("CBOR", ["Octets", "CCBOR"]),
    library("FIDOCrypto", ["Octets", "COpenSSL"]),
    library("CTAPMessages", ["CBOR", "Octets"]),
    library("Attestation", ["CTAPMessages", "CBOR", "FIDOCrypto", "Octets"]),
    library("RelyingParty", ["Attestation", "CTAPMessages", "CBOR", "FIDOCrypto", "JSONText", "Octets"]),
    library("CTAPHID", ["Octets", "Timing"]),
    library("USBHID", ["CTAPHID", "Octets", "Timing", "CHIDAPI"] + udevDependency),
    library(
      "CTAP2",
      ["Attestation", "CTAPHID", "CTAPMessages", "CBOR", "FIDOCrypto", "Octets", "RawDeflate", "Timing", "CUTF8Proc"]),
    library(
      "WebAuthnClient",
      [
        "Attestation", "CTAP2", "CTAPHID", "CTAPMessages", "CBOR", "FIDOCrypto", "JSONText", "Octets", "Timing", "CPSL",
        "CIDN2",
      ]),
    library("ThalesExtensions", ["WebAuthnClient", "JSONText", "Octets"]),
    library("VirtualKey", ["CTAPHID", "CTAPMessages", "CBOR", "FIDOCrypto", "JSONText", "Octets", "Timing"]),
    library("Recordings", ["CTAPHID", "CTAPMessages", "CBOR", "JSONText", "Octets", "Timing"]),
    library("VirtualKeyUSB", ["VirtualKey", "CTAPHID", "Octets", "Timing"]),
    library("CTAPBridge", ["USBHID", "WebAuthnClient", "ThalesExtensions"]),
    library("CTAPBridgeVirtualKey", ["VirtualKey", "VirtualKeyUSB"]),
    library(
      "BridgeCommands",
      [
        "CTAPBridge", "CTAPBridgeVirtualKey", "CTAP2", "CTAPHID", "CTAPMessages", "CBOR", "FIDOCrypto", "JSONText",
        "Octets", "Recordings", "RelyingParty", "Timing", "USBHID", "WebAuthnClient", "ThalesExtensions", "VirtualKey",
        "VirtualKeyUSB",
      ]),
    .executableTarget(
      name: "ctap-bridge", dependencies: ["BridgeCommands"], swiftSettings: settings, linkerSettings: quickStart),
    library("BridgeTestSupport", ["CTAPHID", "JSONText", "Octets", "Timing"]),
    library(
      "FaultJudge",
      ["CTAPHID", "CTAPMessages", "CBOR", "FIDOCrypto", "JSONText", "Octets", "RawDeflate", "Timing", "VirtualKey"]),
    library(
      "FaultMatrix",
      [
        "BridgeTestSupport", "CAllocator", "CTAP2", "CTAPHID", "CTAPMessages", "FIDOCrypto", "FaultJudge", "Octets",
        "Timing", "VirtualKey", "WebAuthnClient",
      ]),
    .executableTarget(name: "fault-matrix", dependencies: ["FaultMatrix"], swiftSettings: settings),

    tests("Octets"),
    tests("JSONText", ["Octets"]),
    tests("RawDeflate", ["Octets"]),
    tests("CBOR", ["Octets", "CCBOR"], vectors: true),
    tests("FIDOCrypto", ["Octets"], vectors: true),
    tests("CTAPMessages", ["CBOR", "Octets"], vectors: true),
    tests("Attestation", ["CTAPMessages", "CBOR", "FIDOCrypto", "JSONText", "Octets"], vectors: true),
    tests("RelyingParty", ["CTAPMessages", "CBOR", "FIDOCrypto", "JSONText", "Octets"], vectors: true),
    tests("CTAPHID", ["JSONText", "Octets", "Timing"]),
    tests("USBHID", ["CTAPHID", "Octets", "Timing"]),
    tests(
      "CTAP2", ["Attestation", "CTAPHID", "CTAPMessages", "CBOR", "FIDOCrypto", "JSONText", "Octets", "Timing"],
      vectors: true),
    tests(
      "WebAuthnClient", ["CTAP2", "CTAPHID", "CTAPMessages", "CBOR", "FIDOCrypto", "JSONText", "Octets", "Timing"],
      vectors: true),
    tests("ThalesExtensions", ["WebAuthnClient", "CBOR", "CTAPHID", "CTAPMessages", "JSONText"]),
    tests(
      "VirtualKey", ["CTAPHID", "CTAPMessages", "CBOR", "FIDOCrypto", "JSONText", "Octets", "Timing"], vectors: true),
    tests(
      "Recordings",
      ["CTAP2", "CTAPHID", "CTAPMessages", "CBOR", "FIDOCrypto", "JSONText", "Octets", "Timing", "VirtualKey"]),
    tests("VirtualKeyUSB", ["VirtualKey", "CTAPHID", "FIDOCrypto", "Timing"]),
    tests(
      "BridgeCommands",
      [
        "ctap-bridge", "CTAP2", "CTAPHID", "CTAPMessages", "FIDOCrypto", "JSONText", "Octets", "Timing", "USBHID",
        "VirtualKey", "WebAuthnClient",
      ],
      exclude: ["Snapshots"]),
    tests("FaultJudge", ["CTAPHID", "CTAPMessages", "CBOR", "FIDOCrypto", "Octets", "Timing", "VirtualKey"]),
    tests("FaultMatrix", ["CTAPHID", "FaultJudge", "Octets", "Timing", "VirtualKey"]),
    .testTarget(
      name: "InteropTests",
      dependencies: [
        "Attestation", "BridgeTestSupport", "CTAPBridge", "CTAPBridgeVirtualKey", "CTAP2", "CTAPHID", "CTAPMessages",
        "CBOR", "FIDOCrypto", "JSONText", "Octets", "RelyingParty", "Timing", "ThalesExtensions", "VirtualKey",
        "WebAuthnClient",
      ],
      resources: [.copy("Vectors")],
      swiftSettings: settings),
  ]
)

// `scripts/sanitize --libraries` builds no test target but those it runs.
if let names = Context.environment["CTAP_BRIDGE_TESTS"]?.split(separator: " ") {
  package.targets.removeAll { $0.type == .test && !names.contains { [name = $0.name] in $0 == name } }
}

// The fuzzer brings its own main and needs flags of its own, so `make fuzz` alone asks for it.
if Context.environment["CTAP_BRIDGE_FUZZ"] != nil {
  package.targets.append(
    .executableTarget(
      name: "fuzz",
      dependencies: [
        "Attestation", "BridgeTestSupport", "CBOR", "CCBOR", "CTAP2", "CTAPHID", "CTAPMessages", "FIDOCrypto",
        "JSONText", "Octets", "RawDeflate", "Recordings", "RelyingParty", "ThalesExtensions", "Timing", "USBHID",
        "VirtualKey",
        "WebAuthnClient",
      ],
      path: "Fuzz", exclude: ["Seeds", "make-seeds"], swiftSettings: settings))
}
