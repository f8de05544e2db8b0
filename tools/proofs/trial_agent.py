"""
An agent of pydantic-ai that trial.sh runs: it answers the questions of a round and prints their run events. AGENTS has the
releases of each agent, in the order of the sides; the release of this side says which of them to run.
    MODEL_URL=… RUNS=50 AGENTS='[["rel_1", "rel_2"]]' python trial_agent.py
"""

import asyncio
import json
import os
import time
from datetime import datetime, timezone

from pydantic_ai import Agent
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

round_, runs, agents = os.environ["ROUND"], int(os.environ["RUNS"]), json.loads(os.environ["AGENTS"])
side = agents[0].index(os.environ["RELEASE_ID"])


async def answer(agent, at_once, agent_id, release_id, number):
    async with at_once:
        began = time.monotonic()
        usage = (await agent.run("Where is my order?")).usage
    event = {
        "timestamp": datetime.now(timezone.utc).isoformat(),
        "agent_id": agent_id,
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
    for seed, releases in enumerate(agents):
        release_id = releases[side]
        provider = OpenAIProvider(base_url=f"{os.environ['MODEL_URL']}/{release_id}", api_key="k")
        agent = Agent(OpenAIChatModel("m1", provider=provider))
        at_once = asyncio.Semaphore(10)
        await asyncio.gather(*(answer(agent, at_once, f"bot{seed}", release_id, n) for n in range(runs)))


asyncio.run(main())
