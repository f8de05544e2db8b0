import asyncio
import os

from tracing import start_tracing

tracing = start_tracing()

from google.adk.agents import LlmAgent
from google.adk.models.google_llm import Gemini
from google.adk.runners import InMemoryRunner

os.environ["GOOGLE_API_KEY"] = "k"
os.environ["GOOGLE_GENAI_USE_VERTEXAI"] = "FALSE"


async def main() -> None:
    model = Gemini(model="gemini-3-flash", base_url=os.environ["PROVIDER_URL"])
    agent = LlmAgent(name="support_bot", model=model, instruction="Be brief.")
    runner = InMemoryRunner(agent=agent, app_name="support-bot")
    await runner.run_debug("Where is it?", quiet=True)


asyncio.run(main())
tracing.force_flush()
