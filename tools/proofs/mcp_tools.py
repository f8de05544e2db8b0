"""Prints the tools of an MCP server as the official Python client lists them: name, version, and hashes of schemas."""

import asyncio
import hashlib
import json
import re
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.types import PaginatedRequestParams


TIME_ZONE = re.compile(
    r"\b(?:(?:Africa|America|Antarctica|Arctic|Asia|Atlantic|Australia|Europe|Indian|Pacific|Etc)"
    r"/[A-Za-z][\w+-]*(?:/[A-Za-z][\w+-]*)*|UTC|GMT)\b",
    re.ASCII,
)
ABSOLUTE_PATH = re.compile(
    r"(?<![\w./#:-])(?:file://)?(?:/(?:builds|home|mnt|opt|private|root|srv|tmp|Users|usr|var|workspaces?)\b|[A-Za-z]:[\\/])"
    r"[^\s\"'`,;)\]}]*",
    re.ASCII,
)


def plain(value):
    """Numbers as JSON of ECMAScript writes them: 1.0 is 1. Time zones and absolute paths differ by machine."""
    if isinstance(value, str):
        return ABSOLUTE_PATH.sub("{path}", TIME_ZONE.sub("{time zone}", value))
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [plain(item) for item in value]
    return value


def sha256(schema):
    text = json.dumps(plain(schema), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


async def main(command, *args):
    server = StdioServerParameters(command=command, args=list(args))
    async with stdio_client(server) as (reads, writes), ClientSession(reads, writes) as session:
        started = await session.initialize()
        found, cursor = [], None
        while True:
            page = (await session.list_tools(params=PaginatedRequestParams(cursor=cursor))).model_dump(mode="json", by_alias=True)
            found += page["tools"]
            cursor = page.get("nextCursor")
            if cursor is None:
                break
    tools = sorted(({"name": tool["name"], "schema_sha256": sha256(tool["inputSchema"])} for tool in found), key=lambda tool: tool["name"])
    about = started.model_dump(mode="json", by_alias=True)["serverInfo"]
    print(json.dumps({"name": about["name"], "version": about["version"], "tools": tools}))


asyncio.run(main(*sys.argv[1:]))
