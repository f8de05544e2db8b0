"""What a response of a model used. The table of names and sources is that of the service, `usage_rules.json`."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, is_dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Optional

_RULES = json.loads(Path(__file__).with_name("usage_rules.json").read_text(encoding="utf-8"))
_WORDS: dict[str, str] = _RULES["words"]
_KINDS: dict[str, str] = _RULES["kinds"]
_PARTS = re.compile(r"\b(?:" + "|".join(_RULES["parts"]) + r")\b")
_SOURCES: dict[str, dict[str, list[str]]] = _RULES["sources"]
_TITLES: dict[str, str] = _RULES["titles"]
_COUNTED = re.compile(_RULES["counted"], re.IGNORECASE)
_NO_COUNT = re.compile(_RULES["no_count"], re.IGNORECASE)
_MOST = 2**53 - 1
_WEAK = re.compile(_RULES["weak"], re.IGNORECASE)
# What may follow the name of a model without making it another one.
BUILD = re.compile(_RULES["build"])
# Of the provider's own numbers, in `details`, these may mean something else.
_OWN_MEANING = {"input", "plain", "tool", "output"}


@dataclass(frozen=True)
class Counts:
    """Tokens of one run, in the fields of a run event. Those read from a cache are in `cached_input_tokens` alone;
    those written to one are also in `input_tokens`."""

    input_tokens: int = 0
    cached_input_tokens: int = 0
    cache_write_input_tokens: int = 0
    output_tokens: int = 0

    def __add__(self, other: Counts) -> Counts:
        return Counts(*(a + b for a, b in zip(asdict(self).values(), asdict(other).values())))

    @property
    def total(self) -> int:
        return self.input_tokens + self.cached_input_tokens + self.output_tokens


class UsageError(ValueError):
    """A response does not say what it used, or what it says can't be. Send no event: one of 0 tokens is a free run."""


def count(response: Any, source: Optional[str] = None, note: Optional[Callable[[str], None]] = None) -> Counts:
    """The tokens of a response of OpenAI, Anthropic, Google or Bedrock: an object of their SDK, or a dict.

    `source` is one of `openai`, `anthropic`, `gemini`, `bedrock`, `langchain`, for a response that doesn't show whose it
    is. Of a stream give the part that has the usage; for most that is the last one. `note` is called with each number
    of tokens or cost that is not counted, such as audio. Raises UsageError.
    """
    usage = _usage_of(response)
    if usage is None:
        raise UsageError("the response has no usage; of a stream, ask for it and read its last part")
    numbers = {**_numbers_in(usage), **_listed(usage)}
    source = source or source_of(response)
    if source == "gemini" and not any(_kind_of(name) == "output" for name in numbers):
        numbers["candidatesTokenCount"] = 0
    counts = _read(f"sdk:{source}", numbers.items())
    for name, value in numbers.items():
        if note is not None and _is_unpriced(name) and isinstance(value, (int, float)) and value > 0:
            note(f"{name} of sdk:{source} is not read, and has no price")
    return counts


def source_of(response: Any) -> str:
    """Whose protocol a response speaks. Raises UsageError for one that doesn't show it."""
    names = set(_mapping(_usage_of(response)))
    if _field(response, "usage") is None:
        is_langchain = bool(names & {"input_tokens", "output_tokens"})
        return "langchain" if is_langchain else "gemini"
    if names & {"inputTokens", "outputTokens"}:
        return "bedrock"
    if "prompt_tokens" in names or _field(response, "object") == "response":
        return "openai"
    if _field(response, "type") == "message" or names & {"cache_read_input_tokens", "cache_creation_input_tokens"}:
        return "anthropic"
    if "input_tokens_details" in names or "output_tokens_details" in names:
        return "openai"
    raise UsageError("nothing says whose response it is; give source='openai', 'anthropic', 'gemini' or 'bedrock'")


def _usage_of(response: Any) -> Any:
    for name in ("usage", "usage_metadata", "usageMetadata"):
        usage = _field(response, name)
        if usage is not None:
            return usage
    return None


def _field(thing: Any, name: str) -> Any:
    return thing.get(name) if isinstance(thing, Mapping) else getattr(thing, name, None)


def _mapping(value: Any) -> Mapping[str, Any]:
    if isinstance(value, Mapping):
        return value
    dump = getattr(value, "model_dump", None)
    if callable(dump):
        dumped = dump()
        return dumped if isinstance(dumped, Mapping) else {}
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    return {name: inner for name, inner in getattr(value, "__dict__", {}).items() if not name.startswith("_")}


def _numbers_in(value: Any, path: str = "") -> dict[str, Any]:
    """The numbers of an object and of the objects in it, by their path; lists and `raw` are left out."""
    numbers: dict[str, Any] = {}
    for name, inner in _mapping(value).items():
        if inner is None or isinstance(inner, (list, tuple)) or name == "raw":
            continue
        if isinstance(inner, (str, int, float)):
            numbers[path + name] = inner
        else:
            numbers.update(_numbers_in(inner, f"{path}{name}."))
    return numbers


def _listed(usage: Any) -> dict[str, Any]:
    """Parts of numbers that a list has, by the modality of Gemini or the time in the cache of Bedrock."""
    numbers: dict[str, Any] = {}
    for name, inner in _mapping(usage).items():
        for item in map(_mapping, inner if isinstance(inner, (list, tuple)) else ()):
            modality, ttl = item.get("modality"), item.get("ttl")
            if ttl is not None:
                numbers[f"{name}.write.{ttl}"] = item.get("inputTokens")
            elif modality is not None:
                numbers[f"{name}.{getattr(modality, 'value', modality)}"] = item.get("tokenCount", item.get("token_count"))
    return numbers


@lru_cache(maxsize=1000)
def _kind_of(name: str) -> Optional[str]:
    """What a number counts by its name; `part` for a part of another one."""
    spaced = re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", name).lower()
    words = {part for word in re.split(r"[^a-z0-9]+", spaced) for part in _WORDS.get(word, word).split(" ")}
    key = " ".join(sorted(words - {""}))
    return _KINDS.get(key) or ("part" if _PARTS.search(key) else None)


def _is_unpriced(name: str) -> bool:
    """Whether no price table has a price for a number: what is written to a cache has one price."""
    kind = _kind_of(name)
    return kind == "1h" or (kind is None and bool(_COUNTED.search(name)) and not _NO_COUNT.search(name))


def _read(scope: str, named: Iterable[tuple[str, Any]]) -> Counts:
    if scope not in _SOURCES:
        known = ", ".join(sorted(name[len("sdk:") :] for name in _SOURCES))
        raise UsageError(f"there is no source {scope[len('sdk:'):]}; it is one of {known}")
    counts = _counts_of(_by_kind(named), _SOURCES[scope], scope)
    if counts.total > 0:
        return counts
    raise UsageError("no tokens are reported at all")


def _by_kind(named: Iterable[tuple[str, Any]]) -> dict[str, int]:
    numbers: dict[str, int] = {}
    details: dict[str, int] = {}
    for name, value in named:
        kind = None if value is None else _kind_of(name)
        if kind is None or kind == "part":
            continue
        if _WEAK.search(name):
            if kind not in _OWN_MEANING and _is_whole(value):
                details[kind] = details.get(kind) or int(value)
            continue
        number = _whole(kind, value)
        known = numbers.get(kind)
        if known and number and known != number:
            raise UsageError(f"two numbers of the {_TITLES[kind]} tokens differ: {known} and {number}")
        numbers[kind] = known or number
    return {**details, **numbers}


def _is_whole(value: Any) -> bool:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    return float(value).is_integer() and abs(value) <= _MOST


def _whole(kind: str, value: Any) -> int:
    number = int(value) if isinstance(value, str) and re.fullmatch(r"[0-9]{1,16}", value) else value
    if _is_whole(number) and number >= 0:
        return int(number)
    shown = json.dumps(value, ensure_ascii=False)
    raise UsageError(f"the {_TITLES[kind]} tokens must be a whole number of 0 or more (they are {shown})")


def _required(kind: str, number: Optional[int]) -> int:
    if number is None:
        raise UsageError(f"the {_TITLES[kind]} tokens are not reported")
    return number


def _counts_of(numbers: dict[str, int], rule: dict[str, list[str]], scope: str) -> Counts:
    plain, read, parts = numbers.get("plain"), numbers.get("read", 0), numbers.get("5m", 0) + numbers.get("1h", 0)
    written = numbers.get("written") or parts
    given = _required("input", numbers.get("input") if plain is None else plain) + numbers.get("tool", 0)
    cache, output = read + written, _required("output", numbers.get("output"))
    inputs = rule["input"] if plain is None else ["plain"]
    is_contradicted = parts > written or (plain is not None and numbers.get("input") not in (None, plain, plain + cache))
    readings = (
        []
        if is_contradicted
        else _readings(given, cache, output, numbers.get("reasoning", 0), numbers.get("total") or None, inputs, rule["output"])
    )
    said = ", ".join(f"{number} {_TITLES[kind]}" for kind, number in numbers.items())
    if not readings:
        raise UsageError(f"the token counts contradict each other: {said}")
    if len(readings) > 1:
        raise UsageError(f"what the token counts of {scope} hold is not known: {said}")
    [(everything, spent)] = readings
    return Counts(everything - read, read, written, spent)


def _readings(
    given: int, cache: int, output: int, reasoning: int, total: Optional[int], inputs: list[str], outputs: list[str]
) -> list[tuple[int, int]]:
    """All input and all output that the numbers may say: without a total that tells, the first reading of the rule."""
    alls = [given + cache if way == "plain" else given for way in inputs if way == "plain" or given >= cache]
    spents = []
    for way in outputs:
        if way == "within" and reasoning <= output:
            spents.append(output)
        elif way == "apart" and (total is not None or way == outputs[0]):
            spents.append(output + reasoning)
    readings = [(everything, spent) for spent in spents for everything in alls]
    if total is None:
        return readings[:1]
    # A source that leaves the cache out of its input may leave it out of its total.
    agreeing = [
        (everything, spent)
        for everything, spent in readings
        if total == everything + spent or (len(alls) == 1 and everything > given and total == given + spent)
    ]
    if agreeing or "rest" not in outputs:
        return list(dict.fromkeys(agreeing))
    return [(everything, total - everything) for everything in alls if total - everything >= output][:1]
