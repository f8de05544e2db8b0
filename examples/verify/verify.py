"""Checks a bundle of `svc audit export` or `svc audit prove` by the Python standard library alone (docs/project/audit-format.md).

    python3 verify.py BUNDLE [--key PUBLIC.pem] [--answers answers.txt] [--decisions decisions.csv]

Exit code 0 where all that was checked holds, 1 where something does not, 2 where it could not be checked.
"""

import argparse
import base64
import csv
import datetime
import hashlib
import json
import re
import sys

FORMAT = "release-governance-audit/1"
LIMITS = """It does not prove that what was recorded is true, that the names are those of people, that nothing came later,
or that no other log was shown to others: compare the checkpoint with one that somebody else has kept."""

class Wrong(Exception):
    """Something does not hold."""

class Unchecked(Exception):
    """A file is not what it is given as, so that nothing was checked."""

ODD = (ValueError, KeyError, TypeError, AttributeError, RecursionError)  # By text of another format

def sha256(*parts):
    return hashlib.sha256(b"".join(parts)).digest()

def unbase64(text, length=None):
    try:
        data = base64.b64decode(text, validate=True)
    except (ValueError, TypeError):
        data = None
    if data is None or base64.b64encode(data).decode() != text or length not in (None, len(data)):
        raise Wrong(f"not base64, or of another length: {text!r}")
    return data

# Ed25519 (RFC 8032, 5.1.7) with affine arithmetic made projective: slow, and enough for one signature.
P, L = 2**255 - 19, 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, P) % P
ROOT = pow(2, (P - 1) // 4, P)

def add(p, q):
    a, b = (p[1] - p[0]) * (q[1] - q[0]) % P, (p[1] + p[0]) * (q[1] + q[0]) % P
    c, d = 2 * p[3] * q[3] * D % P, 2 * p[2] * q[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return (e * f % P, g * h % P, f * g % P, e * h % P)

def multiply(scalar, point):
    result = (0, 1, 1, 0)
    while scalar > 0:
        if scalar & 1:
            result = add(result, point)
        point, scalar = add(point, point), scalar >> 1
    return result

def decompress(data):
    number = int.from_bytes(data, "little")
    sign, y = number >> 255, number & ((1 << 255) - 1)
    if y >= P:
        return None
    square = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P != 0:
        x = x * ROOT % P
    if (x * x - square) % P != 0 or (x == 0 and sign == 1):
        return None
    x = P - x if x & 1 != sign else x
    return (x, y, 1, x * y % P)

BASE = decompress((4 * pow(5, -1, P) % P).to_bytes(32, "little"))

def is_signed(key, message, signature):
    a, r = decompress(key), decompress(signature[:32])
    s = int.from_bytes(signature[32:], "little")
    if a is None or r is None or s >= L:
        return False
    h = int.from_bytes(hashlib.sha512(signature[:32] + key + message).digest(), "little") % L
    left, right = multiply(s, BASE), add(r, multiply(h, a))
    return all((left[i] * right[2] - right[i] * left[2]) % P == 0 for i in (0, 1))

def read_key(path):
    with open(path, encoding="ascii") as file:
        text = file.read()
    if "PRIVATE KEY-----" in text:
        raise Unchecked(f"{path} is a private key; give its public one, {path}.pub")
    found = re.fullmatch(r"-----BEGIN PUBLIC KEY-----\s(.*?)\s*-----END PUBLIC KEY-----\s*", text, re.S)
    try:
        der = unbase64(re.sub(r"\s", "", found[1]), 44) if found else b""
    except Wrong:
        der = b""
    if der[:12] != bytes.fromhex("302a300506032b6570032100"):
        raise Unchecked(f"{path} is no public key of Ed25519 in PEM")
    return der[12:]

CHECKPOINT = re.compile(r"(\S+)\n([1-9][0-9]{0,15})\n([A-Za-z0-9+/=]+)\nhead ([0-9a-f]{64})\ntime ([0-9TZ:.-]+)\n")

def read_checkpoint(note):
    """The text, its parts, and the signatures behind it."""
    text, separator, rest = note.rpartition("\n\n")
    text, lines = (text + "\n", rest.split("\n")[:-1]) if separator else (note, [])
    found = CHECKPOINT.fullmatch(text)
    signatures = [re.fullmatch(r"— (\S+) (\S+)", line) for line in lines]
    if found is None or None in signatures:
        raise Wrong("the checkpoint is not one of this format")
    origin, size, root, head, time = found.groups()
    return text, (origin, int(size), unbase64(root, 32), head, time), [each.groups() for each in signatures]

def check_signature(text, origin, signatures, key):
    key_id = sha256(origin.encode(), b"\n\x01", key)[:4]
    found = [unbase64(encoded) for name, encoded in signatures if name == origin]
    if not any(data[:4] == key_id and len(data) == 68 and is_signed(key, text.encode(), data[4:]) for data in found):
        raise Wrong("no signature of the checkpoint is one by this key")

def push(peaks, leaf):
    """Roots of full subtrees from the left, with their widths."""
    width = 1
    while peaks and peaks[-1][0] == width:
        width, leaf = 2 * width, sha256(b"\x01", peaks.pop()[1], leaf)
    peaks.append((width, leaf))

def root_of(peaks):
    root = peaks[-1][1]
    for _, left in reversed(peaks[:-1]):
        root = sha256(b"\x01", left, root)
    return root

def root_by_path(leaf, index, size, path):
    """RFC 9162, 2.1.3.2."""
    node, last, root = index, size - 1, leaf
    for step in path:
        if last == 0:
            return None
        if node & 1 or node == last:
            root = sha256(b"\x01", step, root)
            while node & 1 == 0 and node != 0:
                node, last = node >> 1, last >> 1
        else:
            root = sha256(b"\x01", root, step)
        node, last = node >> 1, last >> 1
    return root if last == 0 else None

ABOUT_ROWS = ("decision", "policy.set", "prices.import", "release.registered")
FIRST = "first promotion: no promoted baseline for agent/environment"
POINTS = (
    ("max_cost_per_run_usd", "candidate cost_per_run_usd "),
    ("max_latency_ms", "candidate latency_ms_avg "),
    ("max_error_rate", "candidate error_rate "),
)

def means_of(side):
    """Runs of a side, and its means from the sums and rates of the evidence, in the order of POINTS."""
    rates = {rate["model"]: rate for rate in side["rates"]}
    total = {name: sum(one[name] for one in side["variants"]) for name in ("runs", "errors", "latency_count", "latency_sum_ms")}
    cost, priced = 0, 0
    for one in side["variants"]:
        rate = rates.get(one["model"])
        if rate is None:
            continue
        per_input = rate["input_usd_per_1k_tokens"]
        written = rate.get("cache_write_input_usd_per_1k_tokens")
        cost += one["input_tokens"] / 1000 * per_input
        cost += one["output_tokens"] / 1000 * rate["output_usd_per_1k_tokens"]
        cost += one["cached_input_tokens"] / 1000 * (rate.get("cached_input_usd_per_1k_tokens") or 0)
        cost += (one.get("cache_write_input_tokens") or 0) / 1000 * ((per_input if written is None else written) - per_input)
        priced += one["runs"]
    latency = total["latency_sum_ms"] / total["latency_count"] if total["latency_count"] else None
    error_rate = total["errors"] / total["runs"] if total["runs"] else 0
    return total["runs"], (cost / priced if priced else 0, latency, error_rate)

def check_judgement(record, policy):
    """Decides again what takes no statistics: the limits on means, and confidence. `policy` was in force, where that is here."""
    reasons, evidence = record["policy_reasons"], record["evidence"]
    if record["policy_passed"] != (reasons in ([], [FIRST])):
        raise Wrong("verdict and reasons disagree")
    own = evidence["policy"]
    if policy is not None and (policy["policy_id"] != own["policy_id"] if policy.get("overrides") else policy != own):
        raise Wrong("another policy was active")
    judged = evidence["evaluation"]
    if judged is None or evidence.get("forced") is True:
        return
    (baseline_runs, _), (runs, means) = means_of(judged["baseline"]), means_of(judged["candidate"])
    least = judged["thresholds"]
    is_high = baseline_runs >= least["min_baseline_runs"] and runs >= least["min_candidate_runs"]
    expected = [("diff confidence is ", own.get("require_high_diff_confidence", True) and not is_high)]
    for (key, begins), value in zip(POINTS, means):
        limit = own.get(key)
        if limit is None or value is None or abs(value - limit) > 1e-11 * max(abs(value), abs(limit)):
            expected.append((begins, limit is not None and value is not None and value > limit))
    for begins, is_broken in expected:
        if is_broken != any(reason.startswith(begins) for reason in reasons):
            raise Wrong("the evidence gives another verdict")

def verify(lines, key, rows):
    try:
        header = json.loads(next(lines, "null"))
    except ValueError:
        raise Unchecked("the first line is not JSON, as that of a bundle is") from None
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise Wrong(f"the first line names another format than {FORMAT}")
    text, (origin, size, root, head, time), signatures = read_checkpoint(header["checkpoint"])
    if key is not None:
        check_signature(text, origin, signatures, key)
    previous, peaks, count, facts, proved, decisions, policy = "", [], 0, 0, set(), 0, None
    for number, line in enumerate(lines, 2):
        try:
            row = json.loads(line if line.endswith("\n") else "")
            entry = json.loads(row["entry"])
            data, seq = row["entry"].encode(), row["log_seq"]
            if type(seq) is not int or entry["log_seq"] != seq:
                raise Wrong("the line has another number than its entry")
            if "fact" in row:
                facts += 1
                if hashlib.sha256(row["fact"].encode()).hexdigest() != entry["fact"]:
                    raise Wrong("the fact has another hash")
            elif entry["kind"] in ABOUT_ROWS:
                raise Wrong("the fact is missing")
            if entry["kind"] == "policy.set":
                policy = json.loads(json.loads(row["fact"])[2])
            if entry["kind"] == "decision":
                check_judgement(json.loads(row["fact"]), policy)
            decisions += entry["kind"] == "decision"
            rows[seq] = (entry, row.get("fact", ""))
            leaf = sha256(b"\x00", data)
            if "proof" in row:
                path = [unbase64(step, 32) for step in row["proof"]]
                if not 1 <= seq <= size or seq in proved or root_by_path(leaf, seq - 1, size, path) != root:
                    raise Wrong("its proof does not lead to the root of the checkpoint")
                proved.add(seq)
                continue
            if seq != count + 1 or entry["prev_hash"] != previous:
                raise Wrong(f"it does not follow entry {count}")
            previous, count = hashlib.sha256(data).hexdigest(), seq
            if seq == 1 and origin.rpartition("/")[2] != previous[:32]:
                raise Wrong("the checkpoint is of a ledger that began otherwise")
            push(peaks, leaf)
        except (Wrong, *ODD) as error:
            why = error if isinstance(error, Wrong) else "not an entry of this format"
            raise Wrong(f"line {number}: {why}") from None
    if (count > 0) == (len(proved) > 0):
        raise Wrong("the bundle lacks entries" if count == 0 else "some entries have proofs and some not")
    if count > 0 and (count != size or root_of(peaks) != root or previous != head):
        raise Wrong(f"the {count} entries are not the {size} of the checkpoint: cut, added to, or changed")
    return origin, size, time, count or len(proved), facts, decisions

def time_of(ms):
    at = datetime.datetime(1970, 1, 1) + datetime.timedelta(milliseconds=ms)
    return at.isoformat(timespec="milliseconds") + "Z"

def sentences_of(entry, fact, reviewers):
    """What the answers of a pack may say of a decision: an entry tells not whether a block only lacked evidence."""
    details, record = entry["details"], json.loads(fact or "{}")
    reasons, forced = record.get("policy_reasons", []), details.get("forced") is True
    first = any(reason.startswith("first promotion: ") for reason in reasons)
    passed = "first promotion" if first else "passed"
    words = ["forced"] if forced else [passed] if details["policy_passed"] else ["not yet", "blocked"]
    what = "{action} {release_id} of {agent_id} in {environment}: {audit_seq}, ".format(**details)
    policy = f"; the policy: {'; '.join(reasons)}" if reasons else ""
    review = f"; reviewed by {'; '.join(reviewers)}" if reviewers else "; not reviewed"
    by = f"by {entry['actor']} (known by {entry['actor_source']}): {entry['reason']}{policy}{review if forced else ''}"
    return [f"{what}{entry['subject']}, {time_of(entry['created_at'])}; {word}; {by}" for word in words]

def check_answers(lines, rows):
    """Each sentence is that of its entry, and no decision is left out of the entries that the answers name."""
    named, first = set(), 1
    decisions = {seq: row for seq, row in rows.items() if row[0]["kind"] == "decision"}
    for number, line in enumerate(lines, 1):
        found = re.fullmatch(r" {3}\[(\d+)\] (.*)\n?", line)
        span = re.match(r"From \S+ to \S+: entries (\d+) to \d+ of ", line)
        first = first if span is None else int(span[1])
        if found is None:
            continue
        seq = int(found[1])
        if seq not in decisions:
            raise Wrong(f"answers, line {number}: entry {seq} is no decision that is here")
        entry, fact = decisions[seq]
        reviews = [row for row, _ in rows.values() if row["kind"] == "action.reviewed"]
        by = [row["actor"] for row in reviews if row["details"]["action_id"] == entry["subject"]]
        said = sentences_of(entry, fact, by)
        # Characters that a terminal would obey are written otherwise.
        if said[0].isprintable() and found[2] not in said:
            raise Wrong(f"answers, line {number}: entry {seq} says otherwise: {said[0]}")
        named.add(seq)
    left_out("answers", decisions, named, first)
    return len(named), first

def left_out(what, decisions, named, first):
    missing = sorted(seq for seq in set(decisions) - named if seq >= first)
    if missing:
        raise Wrong(f"the {what} leave out the decision of entry {missing[0]}")

def check_decisions(lines, rows, first):
    """Each row is that of its entry, with the hashes of its record and of the policy that was in force; none is left out from `first` on."""
    policy, expected = None, {}
    for seq, (entry, _) in sorted(rows.items()):
        if entry["kind"] == "policy.set":
            policy = entry["fact"]
        if entry["kind"] == "decision":
            details, forced = entry["details"], entry["details"].get("forced") is True
            results = ("forced",) if forced else ("passed", "first") if details["policy_passed"] else ("blocked", "not_yet")
            texts = {name: details[name] for name in ("action", "agent_id", "environment", "release_id")}
            texts.update(action_id=entry["subject"], actor=entry["actor"], reason=entry["reason"], record_sha256=entry["fact"])
            texts.update(policy_sha256=policy or "")
            expected[seq] = (texts, results)
    named = set()
    for number, row in enumerate(csv.DictReader(lines), 2):
        seq = int(row["log_seq"])
        if seq not in expected:
            raise Wrong(f"decisions, row {number}: entry {seq} is no decision that is here")
        texts, results = expected[seq]
        # What a table would take for a formula begins with an apostrophe.
        other = next((name for name, text in texts.items() if row[name] not in (text, "'" + text)), None)
        if other is None and row["result"] not in results:
            other = "result"
        if other is not None:
            raise Wrong(f"decisions, row {number}: entry {seq} says otherwise: {other}")
        named.add(seq)
    left_out("decisions", expected, named, first)
    return len(named)

def main():
    parser = argparse.ArgumentParser(description="Checks a bundle of the audit log.")
    parser.add_argument("bundle")
    parser.add_argument("--key", help="public key that must have signed the checkpoint (PEM)")
    parser.add_argument("--answers", help="answers.txt of a pack, to compare with the entries")
    parser.add_argument("--decisions", help="decisions.csv of a pack, to compare with the entries")
    given, rows, first = parser.parse_args(), {}, 1
    try:
        key = None if given.key is None else read_key(given.key)
        with open(given.bundle, "rb") as file:
            if file.read(4) == b"PK\x03\x04":
                raise Unchecked(f"{given.bundle} is the ZIP: unpack it, then give entries.jsonl")
        with open(given.bundle, encoding="utf-8", newline="\n") as file:
            origin, size, time, count, facts, decisions = verify(iter(file), key, rows)
        if given.answers is not None:
            with open(given.answers, encoding="utf-8", newline="\n") as file:
                sentences, first = check_answers(file, rows)
        if given.decisions is not None:
            with open(given.decisions, encoding="utf-8", newline="") as file:
                table = check_decisions(file, rows, first)
    except (OSError, UnicodeDecodeError, Unchecked) as error:
        print(f"CAN'T CHECK: {error}", file=sys.stderr)
        return 2
    except (Wrong, *ODD) as error:
        print(f"DOES NOT HOLD: {error}", file=sys.stderr)
        return 1
    print(f"HOLDS: {count} of {size} entries, {decisions} of them decisions, of {origin}, as it was at {time}")
    print(f"- {facts} have with them what they are about, and it is what they have the hash of")
    print("- every decision follows from its evidence, as far as limits on means and confidence go, by the policy that was active")
    print("- every entry is in the log of the checkpoint" + (", and all of the log is here" if count == size else ""))
    print("- the checkpoint is signed by the key" if key else "- NOT CHECKED who made it: without --key anybody may have")
    if given.answers is not None:
        print(f"- the {sentences} decisions of the answers are those of entries {first} to {size}")
    if given.decisions is not None:
        print(f"- the {table} rows of the decisions are those of entries {first} to {size}, with the hashes of record and policy")
    print(LIMITS)
    return 0

if __name__ == "__main__":
    sys.exit(main())
