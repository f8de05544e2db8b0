"""Reads release.yaml as the service does: YAML 1.2, in which `no` is a text and `2026-01-31` no date."""

from __future__ import annotations

import re
from typing import Any

import yaml


class _Loader(yaml.SafeLoader):
    yaml_implicit_resolvers: dict[str, Any] = {}


def _resolve(tag: str, pattern: str, first: list[str]) -> None:
    _Loader.add_implicit_resolver(f"tag:yaml.org,2002:{tag}", re.compile(pattern), first)  # type: ignore[no-untyped-call]


for _tag, _pattern, _first in (
    ("bool", r"true|True|TRUE|false|False|FALSE", "tTfF"),
    ("null", r"~|null|Null|NULL|", "~nN\0"),
    ("int", r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+", "-+0123456789"),
    ("float", r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?", "-+.0123456789"),
):
    _resolve(_tag, f"(?:{_pattern})\\Z", list(_first))
_resolve("null", r"\Z", [""])


def _whole(loader: yaml.SafeLoader, node: yaml.ScalarNode) -> int:
    text = node.value
    return int(text, 8 if text.startswith("0o") else 16 if text.startswith("0x") else 10)


def _fraction(loader: yaml.SafeLoader, node: yaml.ScalarNode) -> float:
    return float(node.value)


_Loader.add_constructor("tag:yaml.org,2002:int", _whole)
_Loader.add_constructor("tag:yaml.org,2002:float", _fraction)


def read(data: bytes) -> Any:
    return yaml.load(data, Loader=_Loader)
