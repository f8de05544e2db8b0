"""Which release a session, tenant or user is to run: python3 assign.py POINTER.json KEY

POINTER.json is the answer of GET /v1/pointers/{agent_id}/{environment}. Read it again before `split.lease_s` seconds are
over, counted from before you asked; who can't serves `release_id` alone.
"""

import hashlib
import hmac
import json
import sys


def number(rollout_id, unit):
    """In [0, 1): the first 52 bits of SHA-256(rollout_id, NUL, unit)."""
    digest = hashlib.sha256(f"{rollout_id}\0{unit}".encode()).hexdigest()
    return int(digest[:13], 16) / 2**52


def assign(pointer, key):
    """The release_id to run, and what to send as assignment.unit of the run event (rollouts by user), or None."""
    split = pointer.get("split")
    if split is None or not key:
        return pointer["release_id"], None
    unit = key
    if split["by"] == "user":
        unit = hmac.new(split["assignment_key"].encode(), key.encode(), hashlib.sha256).hexdigest()
    arm = "candidate" if number(split["rollout_id"], unit) < split["share"] else "baseline"
    return split[arm]["release_id"], unit if split["by"] == "user" else None


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        print(*filter(None, assign(json.load(file), sys.argv[2])))
