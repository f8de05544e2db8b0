"""Reads an attestation as securesystemslib, in-toto and a Rego engine do: trust.py FOLDER"""

import base64
import copy
import json
import sys
from pathlib import Path

import regopy
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_pem_public_key
from google.protobuf import json_format
from in_toto_attestation.predicates.vsa.v1.vsa_pb2 import VerificationSummary
from in_toto_attestation.v1.statement import Statement
from in_toto_attestation.v1.statement_pb2 import Statement as StatementMessage
from securesystemslib.dsse import Envelope
from securesystemslib.exceptions import VerificationError
from securesystemslib.signer import SSlibKey

folder = Path(sys.argv[1])
envelope = json.loads((folder / "envelope.json").read_text())
public = load_pem_public_key((folder / "key.pem.pub").read_bytes())
key = SSlibKey(
    envelope["signatures"][0]["keyid"],
    "ed25519",
    "ed25519",
    {"public": public.public_bytes(Encoding.Raw, PublicFormat.Raw).hex()},
)


def is_signed(value):
    try:
        return len(Envelope.from_dict(value).verify([key], 1)) == 1
    except VerificationError:
        return False


assert is_signed(copy.deepcopy(envelope))
payload = base64.b64decode(envelope["payload"])
for changed in (payload.replace(b"PASSED", b"FAILED"), payload + b" "):
    assert not is_signed({**copy.deepcopy(envelope), "payload": base64.b64encode(changed).decode()})
assert not is_signed({**copy.deepcopy(envelope), "payloadType": "text/plain"})

# Unknown fields are an error to both.
Statement.copy_from_pb(json_format.Parse(payload, StatementMessage())).validate()
statement = json.loads(payload)
predicate = copy.deepcopy(statement["predicate"])
# These messages of in-toto lack the version, and have one level where the predicate of SLSA has a list.
predicate["verifier"].pop("version")
predicate["verifiedLevels"] = ",".join(predicate["verifiedLevels"])
json_format.ParseDict(predicate, VerificationSummary())

rules = (folder / "policy.rego").read_text()


def is_admitted(value):
    engine = regopy.Interpreter()
    engine.add_module("policy", rules)
    engine.set_input(value)
    # What is false has no result of its own: it is bound to a name.
    return json.loads(str(engine.query("compliant = data.sigstore.isCompliant")))["bindings"]["compliant"]


assert is_admitted(statement)
for field, value in (
    ("verificationResult", "FAILED"),
    ("resourceUri", statement["predicate"]["resourceUri"].replace("/prod", "/staging")),
    ("resourceUri", "rgs://other/agents/a/environments/prod"),
    ("verifier", {"id": "rgs://other"}),
):
    assert not is_admitted({**statement, "predicate": {**statement["predicate"], field: value}}), field
assert not is_admitted({**statement, "predicateType": "https://slsa.dev/provenance/v1"})
