#pragma once
#include <openssl/asn1.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

// EVP_PKEY_PUBLIC_KEY and EVP_PKEY_KEYPAIR are macros made of other macros, which Swift does not import.
static inline int bridge_pkey_public_key(void) { return EVP_PKEY_PUBLIC_KEY; }
static inline int bridge_pkey_keypair(void) { return EVP_PKEY_KEYPAIR; }

// OPENSSL_free is a macro that adds the file and the line.
static inline void bridge_free(void *memory) { OPENSSL_free(memory); }
