import asyncio
import os

from tracing import start_tracing

tracing = start_tracing()

import agent_framework
from agent_framework.observability import enable_instrumentation
from agent_framework.openai import OpenAIChatClient

enable_instrumentation()


def lookup(order: str = "4711") -> str:
    """Looks up an order."""
    return "sent"


async def main() -> None:
    client = OpenAIChatClient(model="gpt-5.6", api_key="k", base_url=os.environ["PROVIDER_URL"] + "/v1")
    agent = agent_framework.Agent(client, "Be brief.", name="support-bot", tools=[lookup])
    await agent.run("Where is it?")


asyncio.run(main())
tracing.force_flush()
