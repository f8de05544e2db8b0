"""Runs of the installed package with the providers' own SDKs against a fake provider, and a release through the gate.

    SERVICE_URL=… MODEL_URL=… FOLDER=… python python_package.py

FOLDER is examples/quickstart. Prints a JSON object of what was sent.
"""

import asyncio
import json
import os

import anthropic
import boto3
import botocore.config
import openai
from google import genai

import release_governance
from release_governance import Emitter, Refused, Service, run

MODEL_URL, FOLDER = os.environ["MODEL_URL"], os.environ["FOLDER"]
QUESTION = [{"role": "user", "content": "Where is it?"}]
FAILING = [{"role": "user", "content": "fail"}]

service = Service()
baseline = service.register(os.path.join(FOLDER, "baseline"), environment="prod")
candidate = service.register(os.path.join(FOLDER, "candidate"), environment="prod")
again = service.register(os.path.join(FOLDER, "candidate"), environment="prod")
service.promote(baseline, environment="prod", window="1h", reason="first", first=True)

chat = openai.OpenAI(base_url=f"{MODEL_URL}/v1", api_key="k", max_retries=0)
messages = anthropic.Anthropic(base_url=MODEL_URL, api_key="k", max_retries=0)
gemini = genai.Client(api_key="k", http_options={"base_url": MODEL_URL})
bedrock = boto3.client(
    "bedrock-runtime",
    region_name="eu-central-1",
    endpoint_url=MODEL_URL,
    aws_access_key_id="a",
    aws_secret_access_key="b",
    config=botocore.config.Config(retries={"total_max_attempts": 1}),
)
asked = {"model": "claude-opus-5", "max_tokens": 100, "messages": QUESTION}
converse = {"modelId": "nova", "messages": [{"role": "user", "content": [{"text": "Where is it?"}]}]}


def streamed_chat():
    stream = chat.chat.completions.create(
        model="gpt-5.6", messages=QUESTION, stream=True, stream_options={"include_usage": True}
    )
    return list(stream)[-1]


def streamed_message():
    with messages.messages.stream(**asked) as stream:
        return stream.get_final_message()


ANSWERS = {
    "chat": lambda: chat.chat.completions.create(model="gpt-5.6", messages=QUESTION),
    "chat, streamed": streamed_chat,
    "responses": lambda: chat.responses.create(model="gpt-5.6", input="Where is it?"),
    "anthropic": lambda: messages.messages.create(**asked),
    "anthropic, streamed": streamed_message,
    "gemini": lambda: gemini.models.generate_content(model="gemini-3-flash", contents="Where is it?"),
    "bedrock": lambda: bedrock.converse(**converse),
}

problems = []
fields = {"agent_id": "support-bot", "release_id": candidate, "environment": "prod"}
with Emitter(service, defaults=fields, on_error=lambda *said: problems.append(said)) as emitter:
    for name, ask in ANSWERS.items():
        with run(emitter, model="nova" if name == "bedrock" else None, task_id=name) as this:
            this.count(ask())
    try:
        with run(emitter, provider="openai", model="gpt-5.6", task_id="refused") as this:
            this.count(chat.chat.completions.create(model="gpt-5.6", messages=FAILING))
    except openai.BadRequestError:
        pass

    async def aborted():
        async with run(emitter, provider="openai", model="gpt-5.6", task_id="aborted"):
            await asyncio.sleep(60)

    try:
        asyncio.run(asyncio.wait_for(aborted(), 0.1))
    except asyncio.TimeoutError:
        pass

gate = service.gate("support-bot", "prod", candidate, window="1h")
try:
    service.promote(candidate, environment="prod", window="1h", reason="try")
    status = 200
except Refused as refused:
    status = refused.status

print(
    json.dumps(
        {
            "release_id": candidate,
            "again": again,
            "sent": emitter.sent,
            "problems": [reason for reason, _ in problems if "price" not in reason],
            "verdict": gate["verdict"],
            "promoted": status,
            "from": os.path.dirname(release_governance.__file__),
        }
    )
)
