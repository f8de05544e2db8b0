"""
An agent of pydantic-ai that trial.sh runs: it answers the questions of a round and prints their run events. AGENTS has the
releases of each agent, in the order of the sides; the release of this side says which of them to run. The clock is that of the
model, which says how long it took, so that a busy machine makes no run slower: a round begins every 20 s from BEGAN on, epoch s,
and ten workers share its questions.
    MODEL_URL=… RUNS=50 BEGAN=1790000000 AGENTS='[["rel_1", "rel_2"]]' python trial_agent.py
"""

import asyncio
import json
import os
from datetime import datetime, timezone

from pydantic_ai import Agent
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

round_, runs, agents = os.environ["ROUND"], int(os.environ["RUNS"]), json.loads(os.environ["AGENTS"])
side = agents[0].index(os.environ["RELEASE_ID"])

WORKERS, ROUND_S = 10, 20
began = float(os.environ["BEGAN"]) + (int(round_) - 1) * ROUND_S


async def work(agent, agent_id, release_id, worker):
    clock = began
    for number in range(worker, runs, WORKERS):
        result = await agent.run("Where is my order?")
        latency_ms = int(result.response.provider_response_id.removeprefix("chatcmpl-"))
        clock += latency_ms / 1000
        tell(agent_id, release_id, number, result.usage, latency_ms, clock)


def tell(agent_id, release_id, number, usage, latency_ms, ended):
    event = {
        "timestamp": datetime.fromtimestamp(ended, timezone.utc).isoformat(),
        "agent_id": agent_id,
        "release_id": release_id,
        "run_id": f"{release_id}-{round_}-{number}",
        "tenant_id": "ci",
        "task_id": "smoke",
        "environment": os.environ["ENVIRONMENT"],
        "metrics": {"success": True, "latency_ms": latency_ms},
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
        await asyncio.gather(*(work(agent, f"bot{seed}", release_id, worker) for worker in range(WORKERS)))


asyncio.run(main())
