"""Checks the redundant members of responses, which servers don't look at."""

import base64

from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_der_public_key
from fido2 import cbor


def decode(text):
    if "=" in text:
        raise ValueError(f"padding in {text!r}")
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def cose_numbers(key):
    """A COSE key as the numbers that cryptography's own key objects have."""
    if key[1] == 2:
        return ("ec", {1: "secp256r1", 2: "secp384r1", 3: "secp521r1"}[key[-1]], int.from_bytes(key[-2], "big"), int.from_bytes(key[-3], "big"))
    if key[1] == 1 and key[-1] == 6:
        return ("ed25519", key[-2])
    if key[1] == 3:
        return ("rsa", int.from_bytes(key[-1], "big"), int.from_bytes(key[-2], "big"))
    raise ValueError(f"unexpected COSE key type {key[1]}")


def spki_numbers(der):
    key = load_der_public_key(der)
    if isinstance(key, ec.EllipticCurvePublicKey):
        numbers = key.public_numbers()
        return ("ec", key.curve.name, numbers.x, numbers.y)
    if isinstance(key, ed25519.Ed25519PublicKey):
        return ("ed25519", key.public_bytes(Encoding.Raw, PublicFormat.Raw))
    if isinstance(key, rsa.RSAPublicKey):
        numbers = key.public_numbers()
        return ("rsa", numbers.n, numbers.e)
    raise ValueError(f"unexpected key {key}")


def check(result, algorithm):
    """Raises where a member of `result` disagrees with another."""
    response = result["response"]
    attestation = cbor.decode(decode(response["attestationObject"]))
    data = attestation["authData"]
    assert list(attestation) == ["fmt", "attStmt", "authData"], "members of attestationObject out of order"
    assert decode(response["authenticatorData"]) == data, "authenticatorData is not the one in attestationObject"
    length = int.from_bytes(data[53:55], "big")
    identifier = data[55 : 55 + length]
    assert result["id"] == result["rawId"] and decode(result["id"]) == identifier, "id is not the credential's"
    assert result["type"] == "public-key" and result["authenticatorAttachment"] == "cross-platform"
    key, _ = cbor.decode_from(data[55 + length :])
    assert key[3] == algorithm == response["publicKeyAlgorithm"], "publicKeyAlgorithm is not the COSE key's"
    assert spki_numbers(decode(response["publicKey"])) == cose_numbers(key), "publicKey is not the COSE key"
    transports = response["transports"]
    assert transports == sorted(set(transports)), "transports are not sorted and unique"


def check_authentication(result, identifier):
    """Raises where a member of an AuthenticationResponseJSON is not what it should be."""
    assert list(result) == ["id", "rawId", "type", "authenticatorAttachment", "response", "clientExtensionResults"]
    assert result["id"] == result["rawId"] and decode(result["id"]) == identifier, "id is not the credential's"
    assert result["type"] == "public-key" and result["authenticatorAttachment"] == "cross-platform"
    response = result["response"]
    assert set(response) - {"userHandle"} == {"clientDataJSON", "authenticatorData", "signature"}, "members of response"
    for value in response.values():
        decode(value)
