# Targets for people; `make help` lists them.
PREFIX ?= /usr/local
DESTDIR ?=
# What is built for release has the same flags, so that nothing is compiled twice.
SWIFT_RELEASE = swift build -c release --static-swift-stdlib
SWIFT_BUILD = $(SWIFT_RELEASE) --product ctap-bridge
BINARY = .build/release/ctap-bridge
RULES = 70-ctap-bridge.rules
SWIFT_TEST_FLAGS ?=
TESTS ?=
COUNT ?=
KEY ?=
SECONDS ?=
TARGETS ?=
FAULTS ?=
# All 1,800 tests at a time would each wait for the others' turns, and what needs an answer soon would not get it.
export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH ?= 8

# The name means something else to make, which is given its own shell back.
ifeq ($(SHELL),1)
override SHELL := /bin/sh
HIL_OPTIONS = --shell
endif

.PHONY: help build demo test interop hil hil-shell hardware faults defects soak fuzz bench lint docs coverage sanitize install uninstall clean

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-10s %s\n", $$1, $$2}'

build: ## install what is missing and build the release binary
	@scripts/setup build
	@scripts/link-folder
	@$(SWIFT_BUILD) >&2

demo: build ## register on a virtual key with a sample request for all three Thales extensions
	@$(BINARY) register Examples/requests/thales-registration.json --origin https://example.org --key virtual --name 'Desk key'

test: ## install what is missing and run the unit and interop suite
	@scripts/setup build
	swift test $(SWIFT_TEST_FLAGS)

interop: build ## have two relying-party servers from PyPI judge registrations and sign-ins
	@scripts/setup interop
	@Tests/Servers/run $(BINARY)

hil: build ## run the tests against a real kernel, in QEMU (TESTS="name…" for some, SHELL=1 for a shell)
	@rig/run $(HIL_OPTIONS) $(TESTS)

hil-shell: build ## a shell in the guest that the tests run in
	@rig/run --shell

hardware: build ## run the tests on a key in your hand, and ERASE it (KEY=path or serial number)
	@rig/hardware $(if $(KEY),'$(KEY)' $(TESTS))

faults: ## run every ceremony under one fault at every report in each direction
	@scripts/setup build
	@$(SWIFT_RELEASE) --product fault-matrix >&2
	@.build/release/fault-matrix $(FAULTS)

soak: ## do 10,000 registrations and sign-ins with a fault now and then: nothing grows, nothing is lost (COUNT=N)
	@scripts/setup build
	@$(SWIFT_RELEASE) --product fault-matrix >&2
	@.build/release/fault-matrix soak $(if $(COUNT),--count $(COUNT))

defects: ## show that the fault matrix finds mistakes: each of a list, put into a copy of the host, turns cells red
	@scripts/setup build
	@scripts/defects

fuzz: ## run every fuzz target for SECONDS each (TARGETS="name…" for some of them)
	@scripts/setup build
	@FUZZ_SECONDS=$(or $(SECONDS),10) scripts/fuzz $(TARGETS)

bench: build ## measure the whole process beside fido2-token -V
	@scripts/setup bench
	@scripts/bench $(BINARY)

lint: ## check format, imports, layers, and the links in documents
	swift format lint --strict --parallel --recursive Package.swift Sources Tests Examples Fuzz
	scripts/check-imports
	scripts/check-features

docs: ## build the reference documentation into .build/docs; a broken link is an error
	@scripts/setup docs
	@scripts/docs

coverage: ## run the suite and print the line coverage of each library
	@scripts/setup build
	@scripts/coverage

sanitize: ## run the suite under the address and the thread sanitizer
	@scripts/setup build
	@scripts/sanitize

# Root's PATH need not have Swift in it, so what `make build` made is used where it is there.
install: ## install the binary and the udev rule (as root, after `make build`)
	@[ -x $(BINARY) ] || $(MAKE) --no-print-directory build
	install -D -m 0755 $(BINARY) $(DESTDIR)$(PREFIX)/bin/ctap-bridge
	@if [ "$$(uname -s)" = Linux ]; then \
	  install -D -m 0644 udev/$(RULES) $(DESTDIR)/etc/udev/rules.d/$(RULES); \
	  if [ -z "$(DESTDIR)" ] && command -v udevadm > /dev/null; then \
	    udevadm control --reload && udevadm trigger --subsystem-match=hidraw || echo "the udev rule takes effect when udev next starts" >&2; \
	  fi; \
	fi

uninstall: ## remove what install put in place
	rm -f $(DESTDIR)$(PREFIX)/bin/ctap-bridge $(DESTDIR)/etc/udev/rules.d/$(RULES)
	@if [ -z "$(DESTDIR)" ] && command -v udevadm > /dev/null; then udevadm control --reload || true; fi

clean: ## remove everything that was built
	rm -rf .build
