"""
An agent of pydantic-ai that trial.sh runs: it answers the questions of a round and prints their run events.
    MODEL_URL=… RUNS=50 python trial_agent.py
"""

import asyncio
import json
import os
import time
from datetime import datetime, timezone

from pydantic_ai import Agent
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

release_id, round_, runs = os.environ["RELEASE_ID"], os.environ["ROUND"], int(os.environ["RUNS"])
provider = OpenAIProvider(base_url=f"{os.environ['MODEL_URL']}/{release_id}", api_key="k")
agent = Agent(OpenAIChatModel("m1", provider=provider))
at_once = asyncio.Semaphore(10)


async def answer(number):
    async with at_once:
        began = time.monotonic()
        usage = (await agent.run("Where is my order?")).usage
    event = {
        "timestamp": datetime.now(timezone.utc).isoformat(),
        "agent_id": "bot",
        "release_id": release_id,
        "run_id": f"{release_id}-{round_}-{number}",
        "tenant_id": "ci",
        "task_id": "smoke",
        "environment": os.environ["ENVIRONMENT"],
        "metrics": {"success": True, "latency_ms": round(1000 * (time.monotonic() - began))},
        "usage": {
            "model": {
                "provider": "acme",
                "model": "m1",
                "input_tokens": usage.input_tokens,
                "output_tokens": usage.output_tokens,
            }
        },
    }
    print(json.dumps(event), flush=True)


async def main():
    await asyncio.gather(*(answer(number) for number in range(runs)))


asyncio.run(main())
