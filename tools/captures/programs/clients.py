"""One agent run, or one call of a model: `clients.py PROMPT CALL[:HOW] [TRACED_BY…]`. A real client asks, and what traces it is
set up as its page shows: an instrumentor by its path, or a function below."""

import asyncio
import importlib
import json
import os
import sys

URL = os.environ["PROVIDER_URL"]
GPT, CLAUDE, GEMINI = "gpt-5.6", "claude-opus-5", "gemini-3-flash"
BEDROCK = "anthropic.claude-opus-5"
_, PROMPT, CALL, *TRACED_BY = sys.argv
ASKED = [{"role": "user", "content": PROMPT}]
KEY = "sk-capture"
os.environ.update(
    OPENAI_API_KEY=KEY,
    OPENAI_BASE_URL=f"{URL}/v1",
    ANTHROPIC_API_KEY=KEY,
    ANTHROPIC_BASE_URL=URL,
    GOOGLE_API_KEY=KEY,
    AWS_ACCESS_KEY_ID="capture",
    AWS_SECRET_ACCESS_KEY="capture",
    AWS_REGION="us-east-1",
    AWS_DEFAULT_REGION="us-east-1",
    AWS_ENDPOINT_URL=URL,
    CREWAI_DISABLE_TELEMETRY="true",
    SEMANTICKERNEL_EXPERIMENTAL_GENAI_ENABLE_OTEL_DIAGNOSTICS="true",
)
# What to call before the program ends.
FLUSH = []


def traced(instrumentors=()):
    """The stock exporter, with the resource that the environment names."""
    from opentelemetry import trace
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    provider = TracerProvider()
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    trace.set_tracer_provider(provider)
    for path in instrumentors:
        module, _, name = path.rpartition(".")
        getattr(importlib.import_module(module), name)().instrument(tracer_provider=provider)


# What traces by itself


def langfuse():
    from langfuse import Langfuse
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

    exporter = OTLPSpanExporter()
    FLUSH.append(Langfuse(public_key="pk", secret_key="sk", base_url=URL, span_exporter=exporter).flush)


def langfuse_openai():
    langfuse()
    importlib.import_module("langfuse.openai")


def langsmith():
    os.environ.update(LANGSMITH_TRACING="true", LANGSMITH_OTEL_ENABLED="true", LANGSMITH_OTEL_ONLY="true")
    traced()
    from langsmith import Client

    FLUSH.append(lambda: Client().flush())


def logfire(provider):
    import logfire

    logfire.configure(send_to_logfire=False, console=False)
    getattr(logfire, f"instrument_{provider}")()


def pydantic_ai():
    traced()
    from pydantic_ai import Agent

    Agent.instrument_all()


def openlit():
    import openlit

    # Its list of prices is fetched otherwise.
    with open("prices.json", "w") as file:
        file.write("{}")
    openlit.init(disable_metrics=True, pricing_json="prices.json")


def mlflow():
    os.environ["MLFLOW_USE_DEFAULT_TRACER_PROVIDER"] = "false"
    import mlflow

    mlflow.openai.autolog()


# The SDKs of providers


def openai_chat(how=None):
    from openai import OpenAI

    if how is None:
        return OpenAI().chat.completions.create(model=GPT, messages=ASKED)
    options = {"include_usage": True}
    for _ in OpenAI().chat.completions.create(
        model=GPT, messages=ASKED, stream=True, stream_options=options
    ):
        pass


def openai_response():
    from openai import OpenAI

    OpenAI().responses.create(model=GPT, input=PROMPT)


def anthropic_message(how=None):
    from anthropic import Anthropic

    client = Anthropic()
    asked = {"model": CLAUDE, "max_tokens": 500, "messages": ASKED}
    if how is None:
        return client.messages.create(**asked)
    with client.messages.stream(**asked) as answer:
        answer.get_final_message()


def gemini_content(how=None):
    from google import genai
    from google.genai import types

    client = genai.Client(api_key=KEY, http_options=types.HttpOptions(base_url=URL))
    if how is None:
        return client.models.generate_content(model=GEMINI, contents=PROMPT)
    for _ in client.models.generate_content_stream(model=GEMINI, contents=PROMPT):
        pass


def bedrock_converse():
    import boto3

    boto3.client("bedrock-runtime").converse(
        modelId=BEDROCK, messages=[{"role": "user", "content": [{"text": PROMPT}]}]
    )


def bedrock_invoke():
    import boto3

    asked = {"anthropic_version": "bedrock-2023-05-31", "max_tokens": 500, "messages": ASKED}
    boto3.client("bedrock-runtime").invoke_model(modelId=BEDROCK, body=json.dumps(asked))


def mistral_chat():
    try:
        from mistralai import Mistral
    except ImportError:
        from mistralai.client import Mistral

    Mistral(api_key=KEY, server_url=URL).chat.complete(model="mistral-large", messages=ASKED)


def groq_chat():
    from groq import Groq

    Groq(api_key=KEY, base_url=URL).chat.completions.create(model="llama-5", messages=ASKED)


def litellm_completion():
    import litellm

    litellm.completion(model=f"openai/{GPT}", messages=ASKED)


# Frameworks


def dspy_predict():
    import dspy

    dspy.configure(lm=dspy.LM(f"openai/{GPT}", cache=False), adapter=Said())
    dspy.Predict("question -> answer")(question=PROMPT)


class Said:
    """An adapter that takes any answer: the provider says the same whatever it is asked for."""

    def __call__(self, lm, lm_kwargs, signature, demos, inputs):
        lm(messages=ASKED, **lm_kwargs)
        return [{"answer": "said"}]


def instructor_order():
    import instructor
    from openai import OpenAI
    from pydantic import BaseModel

    class Order(BaseModel):
        order: str

    instructor.from_openai(OpenAI()).chat.completions.create(
        model=GPT, messages=ASKED, response_model=Order
    )


def get_order(order: str) -> str:
    """Says where an order is."""
    return f"Order {order} is on its way."


def langchain_model(provider):
    if provider == "openai":
        from langchain_openai import ChatOpenAI

        return ChatOpenAI(model=GPT, stream_usage=True)
    if provider == "anthropic":
        from langchain_anthropic import ChatAnthropic

        return ChatAnthropic(model=CLAUDE, max_tokens=500)
    if provider == "google":
        from langchain_google_genai import ChatGoogleGenerativeAI

        return ChatGoogleGenerativeAI(model=GEMINI, base_url=URL)
    from langchain_aws import ChatBedrockConverse

    return ChatBedrockConverse(model=BEDROCK)


def langchain(provider):
    langchain_model(provider).invoke(PROMPT)


def langchain_stream(provider):
    for _ in langchain_model(provider).stream(PROMPT):
        pass


def langgraph(provider, **config):
    from langchain.agents import create_agent

    agent = create_agent(langchain_model(provider), tools=[get_order], name="support-bot")
    agent.invoke({"messages": ASKED}, **config)


def langfuse_langgraph():
    from langfuse.langchain import CallbackHandler

    langgraph("openai", config={"callbacks": [CallbackHandler()]})


def langfuse_by_hand():
    from langfuse import get_client

    with get_client().start_as_current_observation(as_type="generation", name="answer", model=CLAUDE) as call:
        used = anthropic_message().usage
        call.update(
            usage_details={
                "input": used.input_tokens,
                "cache_read_input_tokens": used.cache_read_input_tokens,
                "cache_creation_input_tokens": used.cache_creation_input_tokens,
                "output": used.output_tokens,
            }
        )


def pydantic_agent(model):
    from pydantic_ai import Agent

    Agent(model, name="support-bot", tools=[get_order]).run_sync(PROMPT)


def pydantic_stream():
    from pydantic_ai import Agent

    async def main():
        async with Agent(f"openai-chat:{GPT}", name="support-bot").run_stream(PROMPT) as answer:
            await answer.get_output()

    asyncio.run(main())


def llama_index_model():
    """The name of the model is none that LlamaIndex has a window for."""
    from llama_index.llms.openai import OpenAI

    class Model(OpenAI):
        @property
        def metadata(self):
            from llama_index.core.base.llms.types import LLMMetadata

            return LLMMetadata(
                context_window=100_000, is_chat_model=True, is_function_calling_model=True, model_name=GPT
            )

    return Model(model=GPT, api_base=f"{URL}/v1")


def llama_index_chat():
    from llama_index.core.llms import ChatMessage

    llama_index_model().chat([ChatMessage(role="user", content=PROMPT)])


def llama_index_agent(how=None):
    from llama_index.core.agent.workflow import FunctionAgent

    agent = FunctionAgent(tools=[get_order], llm=llama_index_model(), streaming=how == "stream")

    async def main():
        await agent.run(PROMPT)

    asyncio.run(main())


def openai_agents():
    from agents import Agent, Runner, function_tool

    agent = Agent(name="support-bot", model=GPT, tools=[function_tool(get_order)])
    Runner.run_sync(agent, PROMPT)


def agno(how=None):
    from agno.agent import Agent
    from agno.models.openai import OpenAIChat

    agent = Agent(name="support-bot", model=OpenAIChat(id=GPT), tools=[get_order], telemetry=False)
    answer = agent.run(PROMPT, stream=how == "stream")
    if how == "stream":
        for _ in answer:
            pass


def smolagents():
    from smolagents import OpenAIServerModel, ToolCallingAgent, tool

    @tool
    def order_place(order: str) -> str:
        """Says where an order is.

        Args:
            order: Its number.
        """
        return f"Order {order} is on its way."

    model = OpenAIServerModel(model_id=GPT, api_base=f"{URL}/v1", api_key=KEY)
    ToolCallingAgent(tools=[order_place], model=model, name="support_bot", max_steps=1).run(PROMPT)


def autogen():
    from autogen_agentchat.agents import AssistantAgent
    from autogen_ext.models.openai import OpenAIChatCompletionClient

    info = {
        "vision": False,
        "function_calling": True,
        "json_output": False,
        "family": "unknown",
        "structured_output": False,
    }
    client = OpenAIChatCompletionClient(model=GPT, model_info=info)
    agent = AssistantAgent("support_bot", model_client=client, tools=[get_order], reflect_on_tool_use=True)
    asyncio.run(agent.run(task=PROMPT))


def semantic_kernel(how=None):
    from openai import AsyncOpenAI
    from semantic_kernel.agents import ChatCompletionAgent
    from semantic_kernel.connectors.ai.open_ai import OpenAIChatCompletion

    service = OpenAIChatCompletion(ai_model_id=GPT, async_client=AsyncOpenAI())
    agent = ChatCompletionAgent(service=service, name="support-bot", instructions="Help.")

    async def main():
        if how is None:
            return await agent.get_response(messages=PROMPT)
        async for _ in agent.invoke_stream(messages=PROMPT):
            pass

    asyncio.run(main())


def strands(provider):
    from strands import Agent, tool

    if provider == "openai":
        from strands.models.openai import OpenAIModel

        model = OpenAIModel(client_args={"base_url": f"{URL}/v1", "api_key": KEY}, model_id=GPT)
    elif provider == "anthropic":
        from strands.models.anthropic import AnthropicModel

        model = AnthropicModel(client_args={"base_url": URL, "api_key": KEY}, model_id=CLAUDE, max_tokens=500)
    else:
        from strands.models import BedrockModel

        model = BedrockModel(model_id=BEDROCK, streaming=False)
    Agent(name="support-bot", model=model, tools=[tool(get_order)], callback_handler=None)(PROMPT)


def mlflow_agent():
    import mlflow

    mlflow.trace(openai_chat, name="support-bot", span_type="AGENT")()


def haystack():
    from haystack import Pipeline
    from haystack.components.generators.chat import OpenAIChatGenerator
    from haystack.dataclasses import ChatMessage

    pipeline = Pipeline()
    pipeline.add_component("llm", OpenAIChatGenerator(model=GPT))
    pipeline.run({"llm": {"messages": [ChatMessage.from_user(PROMPT)]}})


def beeai():
    from beeai_framework.backend import ChatModel, UserMessage

    async def main():
        await ChatModel.from_name(f"openai:{GPT}").run([UserMessage(PROMPT)])

    asyncio.run(main())


def crew():
    from crewai import LLM, Agent, Crew, Task

    agent = Agent(role="support-bot", goal="Help", backstory="Helps", llm=LLM(model=f"openai/{GPT}"))
    task = Task(description=PROMPT, expected_output="A place", agent=agent)
    Crew(agents=[agent], tasks=[task]).kickoff()


# Traces then name no file of this machine.
sys.tracebacklimit = 0
if all("." in path for path in TRACED_BY):
    traced(TRACED_BY)
else:
    name, *how = TRACED_BY[0].split(":", 1)
    globals()[name](*how)
try:
    name, *how = CALL.split(":", 1)
    globals()[name](*how)
except Exception:
    if PROMPT != "fail":
        raise
from opentelemetry import trace

FLUSH.append(getattr(trace.get_tracer_provider(), "force_flush", lambda: None))
for flush in FLUSH:
    flush()
