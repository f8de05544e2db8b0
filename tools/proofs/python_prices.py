"""Compares names of usage, counts of responses and costs with those of genai-prices.

    python python_prices.py list                     prints its price list as JSON
    python python_prices.py compare TABLES < CASES   prints a line for each that differs, then how many of each are alike

TABLES is a JSON file of the tables that the service makes of that list, by provider; CASES are those of the SDK.
"""

import dataclasses
import datetime
import json
import random
import sys
from decimal import Decimal

from genai_prices import types
from genai_prices.data import providers
from release_governance import UsageError, count
from release_governance._usage import _kind_of

AT = datetime.datetime(2026, 11, 29, 12, tzinfo=datetime.timezone.utc)

# What we may read a number as that genai-prices adds to one of these; whatever else it reads is a part, or has a price of its own.
KINDS = {
    "input_tokens": {"input", "read", "written", "tool"},
    "output_tokens": {"output", "reasoning"},
    "cache_read_tokens": {"read"},
    "cache_text_read_tokens": {"read", "part"},
    "cache_write_tokens": {"written"},
    "cache_write_5m_tokens": {"5m"},
    "cache_write_1h_tokens": {"1h"},
    "output_reasoning_tokens": {"reasoning"},
    "input_tool_tokens": {"tool"},
}
NAMES = {"citation_tokens": "citations are not written by the model; the run is stored, and warned of"}

PROVIDERS = {"anthropic": ("anthropic", "default"), "gemini": ("google", "default"), "bedrock": ("aws", "default")}
OF_OPENAI = {"xAI": ("x-ai", "chat"), "xAI by": ("x-ai", "default"), "DeepSeek": ("deepseek", "chat"), "Moonshot": ("moonshotai", "chat")}
CASES = {
    "LiteLLM, BerriAI/litellm#11364": "its extractor of OpenAI reads no cache writes, which the proxy of LiteLLM sends",
    "DeepSeek": "it reads prompt_tokens_details alone",
    "Moonshot": "it reads prompt_tokens_details alone",
    "counts as texts": "it refuses texts",
    "Gemini Live, whose answer is no candidate": "it reads candidates alone",
    "a total that nothing explains": "it reads no totals",
    "more reasoning than output, without a total": "it doesn't compare the two",
    "a fraction": "it takes fractions",
    "more from the cache than in all": "it gives input below 0",
}


def plain(value):
    if isinstance(value, types.TieredPrices):
        return {"base": plain(value.base), "tiers": [plain(dataclasses.asdict(tier)) for tier in value.tiers]}
    if dataclasses.is_dataclass(value) or isinstance(value, types.ModelPrice):
        return {name: plain(inner) for name, inner in vars(value).items() if inner is not None}
    if isinstance(value, (list, tuple)):
        return [plain(inner) for inner in value]
    if isinstance(value, dict):
        return {name: plain(inner) for name, inner in value.items()}
    if isinstance(value, (Decimal, datetime.date, datetime.time)):
        return str(value)
    return value


def the_list():
    return [
        {"id": of.id, "models": [{"id": model.id, "prices": plain(model.prices)} for model in of.models]}
        for of in providers
    ]


def names():
    for of in providers:
        for extractor in of.extractors or []:
            for mapping in extractor.mappings:
                parts = [mapping.path] if isinstance(mapping.path, str) else mapping.path
                path = ".".join(part if isinstance(part, str) else f"write.{part.match.equals}" for part in parts)
                kind = _kind_of(path)
                counts = {"input", "output", "read", "written", "plain"}
                alike = kind in KINDS[mapping.dest] if mapping.dest in KINDS else kind not in counts
                yield alike, path, f"{of.id}: {path} is {mapping.dest}, and {kind} here", NAMES


def usages(cases):
    for case in cases:
        source, response, name = case["source"], case["response"], case["name"]
        usage = response.get("usage") if isinstance(response, dict) else None
        if source not in ("openai", *PROVIDERS) or not isinstance(usage or response.get("usageMetadata"), dict):
            continue
        flavor = "responses" if "input_tokens" in (usage or {}) else "chat"
        mark = next((mark for mark in sorted(OF_OPENAI, key=len, reverse=True) if name.startswith(mark)), "")
        provider, flavor = PROVIDERS.get(source) or OF_OPENAI.get(mark, ("openai", flavor))
        try:
            _, used = next(of for of in providers if of.id == provider).extract_usage(response, api_flavor=flavor)
            of = vars(used).get
            read, written = of("cache_read_tokens") or 0, of("cache_write_tokens") or 0
            theirs = (of("input_tokens") - read, read, written, of("output_tokens") or 0)
        except (ValueError, TypeError) as error:
            theirs = str(error)
        try:
            ours = tuple(vars(count(response, source)).values())
        except UsageError as error:
            ours = str(error)
        alike = ours == theirs or (isinstance(ours, str) and isinstance(theirs, str))
        yield alike, name, f"{name}: {theirs}, and {ours} here", CASES


def prices(tables):
    """Runs of fewer tokens than any tier begins at. Prices by the hour may be dearer here, never cheaper."""
    drawn = random.Random(20261129)
    for of in providers:
        table = tables.get(of.id, {})
        entries = {entry["model"]: entry for entry in table.get("entries", [])}
        for model in of.models:
            entry = entries.get(model.id)
            if entry is None:
                continue
            hourly = any("start_time" in vars(each.constraint or model) for each in model.prices) if isinstance(model.prices, list) else False
            for _ in range(4):
                fresh, read, written, output = (drawn.choice([0, drawn.randrange(5000)]) for _ in range(4))
                usage = types.Usage(
                    input_tokens=fresh + read + written,
                    cache_read_tokens=read,
                    cache_write_tokens=written,
                    output_tokens=output,
                )
                priced = model.get_prices(AT)
                requests = getattr(priced, "requests_kcount", None) or 0
                theirs = model.calc_price(usage, of, genai_request_timestamp=AT).total_price - Decimal(requests) / 1000
                rates = [entry.get(f"{name}_usd_per_1k_tokens") for name in ("input", "cached_input", "cache_write_input", "output")]
                rates[2] = rates[0] if rates[2] is None else rates[2]
                ours = sum(rate * tokens for rate, tokens in zip(rates, (fresh, read, written, output))) / 1000
                alike = abs(ours - float(theirs)) <= 1e-9 * (1 + float(theirs)) or (hourly and ours > theirs)
                yield alike, None, f"{of.id}/{model.id}: {theirs} USD, and {ours} here", {}


def compare(tables, cases):
    wrong = 0
    for title, found in (("names", names()), ("responses", usages(cases)), ("costs", prices(tables))):
        alike, explained, used = 0, 0, set()
        known = {}
        for is_alike, key, text, known in found:
            if is_alike:
                alike += 1
            elif key in known:
                explained += 1
                used.add(key)
            else:
                wrong += 1
                print(f"genai-prices: {text}")
        for key in known.keys() - used:
            wrong += 1
            print(f"genai-prices: {key} is explained, and doesn't differ")
        print(f"genai-prices: {alike} {title} alike, {explained} explained")
    return wrong


if sys.argv[1] == "list":
    json.dump(the_list(), sys.stdout)
else:
    with open(sys.argv[2], encoding="utf-8") as file:
        sys.exit(1 if compare(json.load(file), json.load(sys.stdin)) else 0)
