"""Registers and signs in with ctap-bridge's virtual key in every combination and has two servers judge the answers."""

import itertools
import json
import os
import subprocess
import sys
import tempfile

import fido2.features
import webauthn
from fido2.attestation import Attestation
from fido2.server import Fido2Server
from fido2.webauthn import AttestationConveyancePreference, PublicKeyCredentialRpEntity, PublicKeyCredentialUserEntity
from webauthn.helpers import base64url_to_bytes, bytes_to_base64url

import members

BINARY = sys.argv[1]
ORIGIN = "https://login.example.org"
RP_ID = "example.org"
APP_ID = "https://u2f.example.org/app-id.json"
PIN = "2580-pin"
ALGORITHMS = {"ES256": -7, "EdDSA": -8, "RS256": -257}
# What the request asks for, and what the virtual key attests with.
ATTESTATIONS = {"none": ("none", "packed"), "direct": ("direct", "packed"), "self": ("direct", "self")}
PIN_PROTOCOLS = {"no PIN": None, "PIN one": 1, "PIN two": 2}


def profile(protocol):
    """A getInfo record that offers one PIN protocol and has a PIN."""
    record = {
        "versions": ["FIDO_2_0", "FIDO_2_1"],
        "extensions": ["credProtect", "hmac-secret", "largeBlobKey"],
        "aaguid": "7d2afadd4f2a4f2e9a5b6d4b0b0d3c11",
        "options": {"rk": True, "up": True, "clientPin": protocol is not None, "pinUvAuthToken": True, "makeCredUvNotRqd": True, "largeBlobs": True},
        "maxMsgSize": 1200,
        "maxSerializedLargeBlobArray": 1024,
        "maxCredentialCountInList": 8,
        "maxCredentialIdLength": 128,
        "algorithms": [{"type": "public-key", "alg": a} for a in ALGORITHMS.values()],
    }
    if protocol is not None:
        record["pinUvAuthProtocols"] = [protocol]
    return record


def bridge(ceremony, options, folder, protocol, *more):
    """Runs a ceremony on the key that is kept in the folder, and returns the response."""
    record = os.path.join(folder, "profile.json")
    with open(record, "w") as file:
        json.dump(profile(protocol), file)
    pin = os.path.join(folder, "pin")
    with open(pin, "w") as file:
        file.write(PIN + "\n")
    os.chmod(pin, 0o600)
    key = "virtual:" + os.path.join(folder, "key")
    command = [BINARY, ceremony, "--origin", ORIGIN, "--key", key, "--profile", record, *more]
    if protocol is not None:
        command += ["--pin-file", pin, "--virtual-pin-file", pin]
    run = subprocess.run(command, input=json.dumps(options), capture_output=True, text=True, timeout=60)
    if run.returncode != 0:
        raise RuntimeError(f"exit status {run.returncode}: {run.stderr.strip()}")
    return json.loads(run.stdout)


class AnyTrust:
    """Checks the attestation's signature and trusts every root: the virtual key's is its own."""

    def __call__(self, attestation_object, client_data_hash):
        Attestation.for_type(attestation_object.fmt)().verify(
            attestation_object.att_stmt, attestation_object.auth_data, client_data_hash
        )


def judge(algorithm, attestation, pin, resident, folder):
    conveyance, kind = ATTESTATIONS[attestation]
    protocol = PIN_PROTOCOLS[pin]
    verification = "discouraged" if protocol is None else "required"
    server = Fido2Server(
        PublicKeyCredentialRpEntity(id=RP_ID, name="Example"),
        attestation=AttestationConveyancePreference(conveyance),
        verify_attestation=AnyTrust(),
    )
    user = PublicKeyCredentialUserEntity(id=os.urandom(32), name="alice", display_name="Alice")
    begun, state = server.register_begin(
        user,
        resident_key_requirement="required" if resident else "discouraged",
        user_verification=verification,
        extensions={"credProps": True, "thalesgroup_ext_v1": True, "thalesgroup_client_ext_v1": {"clientType": 2}, "thalesgroup_chl_tkn_ext_v1": {"t": [1.5]}, "prf": {}, "largeBlob": {"support": "preferred"}},
    )
    options = json.loads(json.dumps(dict(begun)))
    options["publicKey"]["pubKeyCredParams"] = [{"type": "public-key", "alg": ALGORITHMS[algorithm]}]
    result = bridge("register", options, folder, protocol, "--attestation", kind, "--name", "Judged key")

    registered = server.register_complete(state, result)
    verified = webauthn.verify_registration_response(
        credential=result,
        expected_challenge=members.decode(options["publicKey"]["challenge"]),
        expected_rp_id=RP_ID,
        expected_origin=ORIGIN,
        require_user_verification=protocol is not None,
    )
    members.check(result, ALGORITHMS[algorithm])
    expected = "none" if attestation == "none" else "packed"
    assert verified.fmt == expected, f"format {verified.fmt}, expected {expected}"
    assert verified.user_verified == (protocol is not None), "user verification flag"
    assert result["clientExtensionResults"] == {
        "credProps": {"rk": resident},
        "prf": {"enabled": True},
        "largeBlob": {"supported": resident},
        "thalesgroup_ext_v1": {"authenticatorDescription": {"friendlyName": "Judged key"}},
        "thalesgroup_client_ext_v1": {"clientType": 2},
        "thalesgroup_chl_tkn_ext_v1": {"t": [1.5]},
    }, f"extension results {result['clientExtensionResults']}"

    count = verified.sign_count
    values = []
    for number in range(2):
        count, value = judge_authentication(
            server, user, registered.credential_data, verified.credential_public_key, count, protocol, resident, folder, number
        )
        values.append(value)
    assert values[0] == values[1], "prf gave other values the second time"
    data = bytes_to_base64url(os.urandom(100))
    for blob, outcome in ({"write": data}, {"written": resident}), ({"read": True}, {"blob": data} if resident else {}):
        count = judge_large_blob(
            server, registered.credential_data, verified.credential_public_key, count, protocol, folder, blob, outcome
        )


def judge_authentication(server, user, credential, public_key, count, protocol, resident, folder, number):
    """Signs in once; returns the new signature counter and the first value of prf."""
    token = {"sign-in": [number, 1.5]}
    evaluation = {"first": bytes_to_base64url(b"judge"), "second": bytes_to_base64url(b"")}
    prf = {"eval": evaluation}
    if not resident:
        prf = {"eval": {"first": "AAAA"}, "evalByCredential": {bytes_to_base64url(credential.credential_id): evaluation}}
    begun, state = server.authenticate_begin(
        None if resident else [credential],
        user_verification="discouraged" if protocol is None else "required",
        extensions={"thalesgroup_chl_tkn_ext_v1": token, "prf": prf},
    )
    options = json.loads(json.dumps(dict(begun)))
    if not resident:
        strangers = [{"type": "public-key", "id": bytes_to_base64url(os.urandom(64))} for _ in range(20)]
        options["publicKey"]["allowCredentials"] = strangers + options["publicKey"]["allowCredentials"]
    result = bridge("authenticate", options, folder, protocol)

    server.authenticate_complete(state, [credential], result)
    verified = webauthn.verify_authentication_response(
        credential=result,
        expected_challenge=members.decode(options["publicKey"]["challenge"]),
        expected_rp_id=RP_ID,
        expected_origin=ORIGIN,
        credential_public_key=public_key,
        credential_current_sign_count=count,
        require_user_verification=protocol is not None,
    )
    members.check_authentication(result, credential.credential_id)
    assert verified.new_sign_count > count, "the signature counter does not grow"
    handle = result["response"].get("userHandle")
    assert handle == (bytes_to_base64url(user.id) if resident else None), f"user handle {handle}"
    extensions = result["clientExtensionResults"]
    assert set(extensions) == {"thalesgroup_chl_tkn_ext_v1", "prf"}, f"extension results {extensions}"
    assert extensions["thalesgroup_chl_tkn_ext_v1"] == token, "the challenge token is not the one that was sent"
    if protocol is None:
        assert extensions["prf"] == {}, "values of prf without user verification"
        return verified.new_sign_count, None
    values = [base64url_to_bytes(extensions["prf"]["results"][name]) for name in ("first", "second")]
    assert [len(value) for value in values] == [32, 32] and values[0] != values[1], "values of prf"
    return verified.new_sign_count, values[0]


def bridge_over_u2f(ceremony, options, folder, protocol, *more):
    """Runs a ceremony on a key that speaks U2F alone, or over U2F on one that speaks FIDO2 too."""
    key = "virtual:" + os.path.join(folder, "key")
    command = [BINARY, ceremony, "--origin", ORIGIN, "--key", key, "--protocol", protocol, *more]
    run = subprocess.run(command, input=json.dumps(options), capture_output=True, text=True, timeout=60)
    if run.returncode != 0:
        raise RuntimeError(f"exit status {run.returncode}: {run.stderr.strip()}")
    return json.loads(run.stdout)


def judge_over_u2f(attestation, protocol, use, folder):
    """Registers over U2F and signs in, naming an AppID too, under which there is no credential."""
    server = Fido2Server(
        PublicKeyCredentialRpEntity(id=RP_ID, name="Example"),
        attestation=AttestationConveyancePreference(attestation),
        verify_attestation=AnyTrust(),
    )
    user = PublicKeyCredentialUserEntity(id=os.urandom(32), name="alice", display_name="Alice")
    begun, state = server.register_begin(user, user_verification="discouraged", extensions={"credProps": True, "appidExclude": APP_ID})
    options = json.loads(json.dumps(dict(begun)))
    result = bridge_over_u2f("register", options, folder, protocol, "--u2f", use)
    registered = server.register_complete(state, result)
    verified = webauthn.verify_registration_response(
        credential=result,
        expected_challenge=members.decode(options["publicKey"]["challenge"]),
        expected_rp_id=RP_ID,
        expected_origin=ORIGIN,
        require_user_verification=False,
    )
    members.check(result, -7)
    expected = "none" if attestation == "none" else "fido-u2f"
    assert verified.fmt == expected, f"format {verified.fmt}, expected {expected}"
    assert not verified.user_verified and verified.sign_count == 0 and verified.aaguid == "00000000-0000-0000-0000-000000000000"
    extensions = result["clientExtensionResults"]
    assert extensions["credProps"] == {"rk": False} and extensions["appidExclude"] is True, f"extension results {extensions}"

    count = 0
    for signed_by in (use, "auto"):
        begun, state = server.authenticate_begin(
            [registered.credential_data], user_verification="discouraged", extensions={"appid": APP_ID}
        )
        options = json.loads(json.dumps(dict(begun)))
        strangers = [{"type": "public-key", "id": bytes_to_base64url(os.urandom(64))} for _ in range(3)]
        options["publicKey"]["allowCredentials"] = strangers + options["publicKey"]["allowCredentials"]
        result = bridge_over_u2f("authenticate", options, folder, protocol, "--u2f", signed_by)
        server.authenticate_complete(state, [registered.credential_data], result)
        verified_answer = webauthn.verify_authentication_response(
            credential=result,
            expected_challenge=members.decode(options["publicKey"]["challenge"]),
            expected_rp_id=RP_ID,
            expected_origin=ORIGIN,
            credential_public_key=verified.credential_public_key,
            credential_current_sign_count=count,
            require_user_verification=False,
        )
        members.check_authentication(result, registered.credential_data.credential_id)
        assert verified_answer.new_sign_count > count, "the signature counter does not grow"
        assert result["clientExtensionResults"] == {"appid": False}, f"extension results {result['clientExtensionResults']}"
        count = verified_answer.new_sign_count


def judge_large_blob(server, credential, public_key, count, protocol, folder, blob, outcome):
    """Signs in and works on the credential's large blob; returns the new signature counter."""
    begun, state = server.authenticate_begin(
        [credential],
        user_verification="discouraged" if protocol is None else "required",
        extensions={"largeBlob": blob},
    )
    options = json.loads(json.dumps(dict(begun)))
    result = bridge("authenticate", options, folder, protocol)
    server.authenticate_complete(state, [credential], result)
    verified = webauthn.verify_authentication_response(
        credential=result,
        expected_challenge=members.decode(options["publicKey"]["challenge"]),
        expected_rp_id=RP_ID,
        expected_origin=ORIGIN,
        credential_public_key=public_key,
        credential_current_sign_count=count,
        require_user_verification=protocol is not None,
    )
    assert result["clientExtensionResults"] == {"largeBlob": outcome}, f"{blob} gave {result['clientExtensionResults']}"
    return verified.new_sign_count


def main():
    passed = failed = 0
    for case in itertools.product(ALGORITHMS, ATTESTATIONS, PIN_PROTOCOLS, [False, True]):
        algorithm, attestation, pin, resident = case
        name = f"{algorithm}, attestation {attestation}, {pin}, {'resident' if resident else 'not resident'}"
        with tempfile.TemporaryDirectory() as folder:
            try:
                judge(*case, folder)
                passed += 1
            except Exception as error:  # noqa: BLE001 - every failure is a finding
                failed += 1
                print(f"FAILED {name}: {type(error).__name__}: {error}")
    for attestation, (protocol, use) in itertools.product(["none", "direct"], [("u2f", "auto"), ("u2f", "force"), ("fido2", "force")]):
        with tempfile.TemporaryDirectory() as folder:
            try:
                judge_over_u2f(attestation, protocol, use, folder)
                passed += 1
            except Exception as error:  # noqa: BLE001 - every failure is a finding
                failed += 1
                print(f"FAILED U2F, attestation {attestation}, --protocol {protocol}, --u2f {use}: {type(error).__name__}: {error}")
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


main()
