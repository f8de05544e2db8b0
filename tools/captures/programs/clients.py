"""One agent run, or one call of a model, by the set-up that argv names: real clients with the instrumentation as its page shows."""

import asyncio
import os
import sys

URL = os.environ["PROVIDER_URL"]
GPT, CLAUDE, GEMINI = "gpt-5.6", "claude-opus-5", "gemini-3-flash"
BEDROCK = "anthropic.claude-opus-5"
NAME = sys.argv[1]
# The provider refuses this prompt.
PROMPT = "fail" if NAME.endswith("_fails") else "Where is my order 4711?"
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
)
SETUPS = {}


def setup(function):
    SETUPS[function.__name__] = function
    return function


def traced(*instrumentors):
    """The stock exporter, with the resource that the environment names."""
    from opentelemetry import trace
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    provider = TracerProvider()
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    trace.set_tracer_provider(provider)
    for instrumentor in instrumentors:
        instrumentor.instrument(tracer_provider=provider)
    return provider


def flush():
    from opentelemetry import trace

    if hasattr(trace.get_tracer_provider(), "force_flush"):
        trace.get_tracer_provider().force_flush()


def openai_chat(stream=False):
    from openai import OpenAI

    if not stream:
        return OpenAI().chat.completions.create(model=GPT, messages=ASKED)
    options = {"include_usage": True}
    for _ in OpenAI().chat.completions.create(
        model=GPT, messages=ASKED, stream=True, stream_options=options
    ):
        pass


def openai_response():
    from openai import OpenAI

    OpenAI().responses.create(model=GPT, input=PROMPT)


def anthropic_message(stream=False):
    from anthropic import Anthropic

    client = Anthropic()
    asked = {"model": CLAUDE, "max_tokens": 500, "messages": ASKED}
    if not stream:
        return client.messages.create(**asked)
    with client.messages.stream(**asked) as answer:
        answer.get_final_message()


def gemini_content(stream=False):
    from google import genai
    from google.genai import types

    client = genai.Client(api_key=KEY, http_options=types.HttpOptions(base_url=URL))
    if not stream:
        return client.models.generate_content(model=GEMINI, contents=PROMPT)
    for _ in client.models.generate_content_stream(model=GEMINI, contents=PROMPT):
        pass


def bedrock_converse():
    import boto3

    boto3.client("bedrock-runtime").converse(
        modelId=BEDROCK, messages=[{"role": "user", "content": [{"text": PROMPT}]}]
    )


def mistral_chat():
    try:
        from mistralai import Mistral
    except ImportError:
        from mistralai.client import Mistral

    Mistral(api_key=KEY, server_url=URL).chat.complete(model="mistral-large", messages=ASKED)


def groq_chat():
    from groq import Groq

    Groq(api_key=KEY, base_url=URL).chat.completions.create(model="llama-5", messages=ASKED)


# OpenInference, on the SDKs of providers


@setup
def openinference_py_openai():
    from openinference.instrumentation.openai import OpenAIInstrumentor

    traced(OpenAIInstrumentor())
    openai_chat()


@setup
def openinference_py_openai_stream():
    from openinference.instrumentation.openai import OpenAIInstrumentor

    traced(OpenAIInstrumentor())
    openai_chat(stream=True)


@setup
def openinference_py_openai_responses():
    from openinference.instrumentation.openai import OpenAIInstrumentor

    traced(OpenAIInstrumentor())
    openai_response()


@setup
def openinference_py_anthropic():
    from openinference.instrumentation.anthropic import AnthropicInstrumentor

    traced(AnthropicInstrumentor())
    anthropic_message()


@setup
def openinference_py_anthropic_stream():
    from openinference.instrumentation.anthropic import AnthropicInstrumentor

    traced(AnthropicInstrumentor())
    anthropic_message(stream=True)


@setup
def openinference_py_google_genai():
    from openinference.instrumentation.google_genai import GoogleGenAIInstrumentor

    traced(GoogleGenAIInstrumentor())
    gemini_content()


@setup
def openinference_py_google_genai_stream():
    from openinference.instrumentation.google_genai import GoogleGenAIInstrumentor

    traced(GoogleGenAIInstrumentor())
    gemini_content(stream=True)


@setup
def openinference_py_bedrock():
    from openinference.instrumentation.bedrock import BedrockInstrumentor

    traced(BedrockInstrumentor())
    bedrock_converse()


@setup
def openinference_py_mistralai():
    from openinference.instrumentation.mistralai import MistralAIInstrumentor

    traced(MistralAIInstrumentor())
    mistral_chat()


@setup
def openinference_py_groq():
    from openinference.instrumentation.groq import GroqInstrumentor

    traced(GroqInstrumentor())
    groq_chat()


@setup
def openinference_py_litellm():
    from openinference.instrumentation.litellm import LiteLLMInstrumentor

    traced(LiteLLMInstrumentor())
    import litellm

    litellm.completion(model=f"openai/{GPT}", messages=ASKED)


@setup
def openinference_py_dspy():
    from openinference.instrumentation.dspy import DSPyInstrumentor
    from openinference.instrumentation.litellm import LiteLLMInstrumentor

    traced(DSPyInstrumentor(), LiteLLMInstrumentor())
    import dspy

    dspy.configure(lm=dspy.LM(f"openai/{GPT}", cache=False), adapter=Said())
    dspy.Predict("question -> answer")(question=PROMPT)


class Said:
    """An adapter that takes any answer: the provider says the same whatever it is asked for."""

    def __call__(self, lm, lm_kwargs, signature, demos, inputs):
        lm(messages=ASKED, **lm_kwargs)
        return [{"answer": "said"}]


@setup
def openinference_py_instructor():
    from openinference.instrumentation.instructor import InstructorInstrumentor
    from openinference.instrumentation.openai import OpenAIInstrumentor

    traced(InstructorInstrumentor(), OpenAIInstrumentor())
    import instructor
    from openai import OpenAI
    from pydantic import BaseModel

    class Order(BaseModel):
        order: str

    instructor.from_openai(OpenAI()).chat.completions.create(
        model=GPT, messages=ASKED, response_model=Order
    )


@setup
def anthropic_py():
    traced()
    anthropic_message()


@setup
def anthropic_py_stream():
    traced()
    anthropic_message(stream=True)


# OpenLLMetry


@setup
def openllmetry_py_openai():
    from opentelemetry.instrumentation.openai import OpenAIInstrumentor

    traced(OpenAIInstrumentor())
    openai_chat()


@setup
def openllmetry_py_openai_stream():
    from opentelemetry.instrumentation.openai import OpenAIInstrumentor

    traced(OpenAIInstrumentor())
    openai_chat(stream=True)


@setup
def openllmetry_py_openai_responses():
    from opentelemetry.instrumentation.openai import OpenAIInstrumentor

    traced(OpenAIInstrumentor())
    openai_response()


@setup
def openllmetry_py_anthropic():
    from opentelemetry.instrumentation.anthropic import AnthropicInstrumentor

    traced(AnthropicInstrumentor())
    anthropic_message()


@setup
def openllmetry_py_anthropic_stream():
    from opentelemetry.instrumentation.anthropic import AnthropicInstrumentor

    traced(AnthropicInstrumentor())
    anthropic_message(stream=True)


@setup
def openllmetry_py_bedrock():
    from opentelemetry.instrumentation.bedrock import BedrockInstrumentor

    traced(BedrockInstrumentor())
    bedrock_converse()


@setup
def openllmetry_py_google():
    from opentelemetry.instrumentation.google_generativeai import GoogleGenerativeAiInstrumentor

    traced(GoogleGenerativeAiInstrumentor())
    gemini_content()


@setup
def openllmetry_py_groq():
    from opentelemetry.instrumentation.groq import GroqInstrumentor

    traced(GroqInstrumentor())
    groq_chat()


@setup
def openllmetry_py_mistralai():
    from opentelemetry.instrumentation.mistralai import MistralAiInstrumentor

    traced(MistralAiInstrumentor())
    mistral_chat()


# OpenTelemetry's own


@setup
def otel_py_openai():
    from opentelemetry.instrumentation.openai_v2 import OpenAIInstrumentor

    traced(OpenAIInstrumentor())
    openai_chat()


@setup
def otel_py_openai_stream():
    from opentelemetry.instrumentation.openai_v2 import OpenAIInstrumentor

    traced(OpenAIInstrumentor())
    openai_chat(stream=True)


@setup
def otel_py_google_genai():
    from opentelemetry.instrumentation.google_genai import GoogleGenAiSdkInstrumentor

    traced(GoogleGenAiSdkInstrumentor())
    gemini_content()


@setup
def otel_py_botocore():
    from opentelemetry.instrumentation.botocore import BotocoreInstrumentor

    traced(BotocoreInstrumentor())
    bedrock_converse()


@setup
def otel_py_botocore_invoke():
    import json

    import boto3
    from opentelemetry.instrumentation.botocore import BotocoreInstrumentor

    traced(BotocoreInstrumentor())
    asked = {"anthropic_version": "bedrock-2023-05-31", "max_tokens": 500, "messages": ASKED}
    boto3.client("bedrock-runtime").invoke_model(modelId=BEDROCK, body=json.dumps(asked))


# Frameworks


def get_order(order: str) -> str:
    """Says where an order is."""
    return f"Order {order} is on its way."


def langgraph(model):
    from langchain.agents import create_agent

    agent = create_agent(model, tools=[get_order], name="support-bot")
    agent.invoke({"messages": ASKED})


@setup
def openinference_py_langchain_openai():
    from langchain_openai import ChatOpenAI
    from openinference.instrumentation.langchain import LangChainInstrumentor

    traced(LangChainInstrumentor())
    langgraph(ChatOpenAI(model=GPT))


@setup
def openinference_py_langchain_openai_stream():
    from langchain_openai import ChatOpenAI
    from openinference.instrumentation.langchain import LangChainInstrumentor

    traced(LangChainInstrumentor())
    for _ in ChatOpenAI(model=GPT, stream_usage=True).stream(PROMPT):
        pass


@setup
def openinference_py_langchain_anthropic():
    from langchain_anthropic import ChatAnthropic
    from openinference.instrumentation.langchain import LangChainInstrumentor

    traced(LangChainInstrumentor())
    langgraph(ChatAnthropic(model=CLAUDE, max_tokens=500))


@setup
def openinference_py_langchain_anthropic_stream():
    from langchain_anthropic import ChatAnthropic
    from openinference.instrumentation.langchain import LangChainInstrumentor

    traced(LangChainInstrumentor())
    for _ in ChatAnthropic(model=CLAUDE, max_tokens=500).stream(PROMPT):
        pass


@setup
def openinference_py_langchain_google():
    from langchain_google_genai import ChatGoogleGenerativeAI
    from openinference.instrumentation.langchain import LangChainInstrumentor

    traced(LangChainInstrumentor())
    ChatGoogleGenerativeAI(model=GEMINI, base_url=URL).invoke(PROMPT)


@setup
def openinference_py_langchain_aws():
    from langchain_aws import ChatBedrockConverse
    from openinference.instrumentation.langchain import LangChainInstrumentor

    traced(LangChainInstrumentor())
    ChatBedrockConverse(model=BEDROCK).invoke(PROMPT)


@setup
def openinference_py_langchain_and_openai():
    from langchain_openai import ChatOpenAI
    from openinference.instrumentation.langchain import LangChainInstrumentor
    from openinference.instrumentation.openai import OpenAIInstrumentor

    traced(LangChainInstrumentor(), OpenAIInstrumentor())
    langgraph(ChatOpenAI(model=GPT))


def langfuse_client():
    from langfuse import Langfuse
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

    return Langfuse(public_key="pk", secret_key="sk", base_url=URL, span_exporter=OTLPSpanExporter())


@setup
def langfuse_py_openai():
    client = langfuse_client()
    from langfuse.openai import openai

    openai.OpenAI().chat.completions.create(model=GPT, messages=ASKED)
    client.flush()


@setup
def langfuse_py_openai_responses():
    client = langfuse_client()
    from langfuse.openai import openai

    openai.OpenAI().responses.create(model=GPT, input=PROMPT)
    client.flush()


@setup
def langfuse_py_openai_stream():
    client = langfuse_client()
    from langfuse.openai import openai

    options = {"include_usage": True}
    for _ in openai.OpenAI().chat.completions.create(
        model=GPT, messages=ASKED, stream=True, stream_options=options
    ):
        pass
    client.flush()


@setup
def langfuse_py_by_hand():
    client = langfuse_client()
    with client.start_as_current_observation(as_type="generation", name="answer", model=CLAUDE) as call:
        from anthropic import Anthropic

        used = Anthropic().messages.create(model=CLAUDE, max_tokens=500, messages=ASKED).usage
        call.update(
            usage_details={
                "input": used.input_tokens,
                "cache_read_input_tokens": used.cache_read_input_tokens,
                "cache_creation_input_tokens": used.cache_creation_input_tokens,
                "output": used.output_tokens,
            }
        )
    client.flush()


@setup
def langfuse_py_langchain():
    client = langfuse_client()
    from langchain.agents import create_agent
    from langchain_openai import ChatOpenAI
    from langfuse.langchain import CallbackHandler

    agent = create_agent(ChatOpenAI(model=GPT), tools=[get_order], name="support-bot")
    agent.invoke({"messages": ASKED}, config={"callbacks": [CallbackHandler()]})
    client.flush()


@setup
def langsmith_py():
    os.environ.update(LANGSMITH_TRACING="true", LANGSMITH_OTEL_ENABLED="true", LANGSMITH_OTEL_ONLY="true")
    traced()
    from langchain_openai import ChatOpenAI

    langgraph(ChatOpenAI(model=GPT))
    from langsmith import Client

    Client().flush()


@setup
def logfire_py_openai():
    import logfire

    logfire.configure(send_to_logfire=False, console=False)
    logfire.instrument_openai()
    openai_chat()


@setup
def logfire_py_openai_stream():
    import logfire

    logfire.configure(send_to_logfire=False, console=False)
    logfire.instrument_openai()
    openai_chat(stream=True)


@setup
def logfire_py_openai_responses():
    import logfire

    logfire.configure(send_to_logfire=False, console=False)
    logfire.instrument_openai()
    openai_response()


@setup
def logfire_py_anthropic():
    import logfire

    logfire.configure(send_to_logfire=False, console=False)
    logfire.instrument_anthropic()
    anthropic_message()


def pydantic_agent(model):
    traced()
    from pydantic_ai import Agent

    Agent.instrument_all()
    agent = Agent(model, name="support-bot", tools=[get_order])
    agent.run_sync(PROMPT)


@setup
def pydantic_ai_openai():
    pydantic_agent(f"openai-chat:{GPT}")


@setup
def pydantic_ai_responses():
    pydantic_agent(f"openai-responses:{GPT}")


@setup
def pydantic_ai_stream():
    traced()
    from pydantic_ai import Agent

    Agent.instrument_all()

    async def main():
        async with Agent(f"openai-chat:{GPT}", name="support-bot").run_stream(PROMPT) as answer:
            await answer.get_output()

    asyncio.run(main())


@setup
def pydantic_ai_anthropic():
    pydantic_agent(f"anthropic:{CLAUDE}")


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


@setup
def openinference_py_llama_index():
    from openinference.instrumentation.llama_index import LlamaIndexInstrumentor

    traced(LlamaIndexInstrumentor())
    from llama_index.core.llms import ChatMessage

    llama_index_model().chat([ChatMessage(role="user", content=PROMPT)])


@setup
def openinference_py_llama_index_agent_stream():
    openinference_py_llama_index_agent(streaming=True)


@setup
def openinference_py_llama_index_agent(streaming=False):
    from openinference.instrumentation.llama_index import LlamaIndexInstrumentor

    traced(LlamaIndexInstrumentor())
    from llama_index.core.agent.workflow import FunctionAgent

    agent = FunctionAgent(tools=[get_order], llm=llama_index_model(), streaming=streaming)

    async def main():
        await agent.run(PROMPT)

    asyncio.run(main())


@setup
def openinference_py_openai_agents():
    from openinference.instrumentation.openai_agents import OpenAIAgentsInstrumentor

    traced(OpenAIAgentsInstrumentor())
    from agents import Agent, Runner, function_tool

    agent = Agent(name="support-bot", model=GPT, tools=[function_tool(get_order)])
    Runner.run_sync(agent, PROMPT)


@setup
def openinference_py_agno_stream():
    openinference_py_agno(stream=True)


@setup
def openinference_py_agno(stream=False):
    from openinference.instrumentation.agno import AgnoInstrumentor

    traced(AgnoInstrumentor())
    from agno.agent import Agent
    from agno.models.openai import OpenAIChat

    agent = Agent(name="support-bot", model=OpenAIChat(id=GPT), tools=[get_order], telemetry=False)
    answer = agent.run(PROMPT, stream=stream)
    if stream:
        for _ in answer:
            pass


@setup
def openinference_py_smolagents():
    from openinference.instrumentation.smolagents import SmolagentsInstrumentor

    traced(SmolagentsInstrumentor())
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


@setup
def autogen_openllmetry():
    from opentelemetry.instrumentation.openai import OpenAIInstrumentor

    traced(OpenAIInstrumentor())
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


@setup
def semantic_kernel(stream=False):
    os.environ["SEMANTICKERNEL_EXPERIMENTAL_GENAI_ENABLE_OTEL_DIAGNOSTICS"] = "true"
    traced()
    from openai import AsyncOpenAI
    from semantic_kernel.agents import ChatCompletionAgent
    from semantic_kernel.connectors.ai.open_ai import OpenAIChatCompletion

    service = OpenAIChatCompletion(ai_model_id=GPT, async_client=AsyncOpenAI())
    agent = ChatCompletionAgent(service=service, name="support-bot", instructions="Help.")

    async def main():
        if not stream:
            return await agent.get_response(messages=PROMPT)
        async for _ in agent.invoke_stream(messages=PROMPT):
            pass

    asyncio.run(main())


@setup
def semantic_kernel_stream():
    semantic_kernel(stream=True)


def strands_agent(model):
    traced()
    from strands import Agent, tool

    Agent(name="support-bot", model=model, tools=[tool(get_order)], callback_handler=None)(PROMPT)


@setup
def strands_openai():
    from strands.models.openai import OpenAIModel

    strands_agent(OpenAIModel(client_args={"base_url": f"{URL}/v1", "api_key": KEY}, model_id=GPT))


@setup
def strands_anthropic():
    from strands.models.anthropic import AnthropicModel

    strands_agent(
        AnthropicModel(client_args={"base_url": URL, "api_key": KEY}, model_id=CLAUDE, max_tokens=500)
    )


@setup
def openlit_openai():
    import openlit

    openlit.init(disable_metrics=True)
    openai_chat()


@setup
def openlit_anthropic():
    import openlit

    openlit.init(disable_metrics=True)
    anthropic_message()


@setup
def mlflow_openai():
    os.environ["MLFLOW_USE_DEFAULT_TRACER_PROVIDER"] = "false"
    import mlflow

    mlflow.openai.autolog()

    @mlflow.trace(name="support-bot", span_type="AGENT")
    def answer():
        openai_chat()

    answer()


@setup
def openinference_py_haystack():
    from openinference.instrumentation.haystack import HaystackInstrumentor

    traced(HaystackInstrumentor())
    from haystack import Pipeline
    from haystack.components.generators.chat import OpenAIChatGenerator
    from haystack.dataclasses import ChatMessage

    pipeline = Pipeline()
    pipeline.add_component("llm", OpenAIChatGenerator(model=GPT))
    pipeline.run({"llm": {"messages": [ChatMessage.from_user(PROMPT)]}})


@setup
def openinference_py_beeai():
    from openinference.instrumentation.beeai import BeeAIInstrumentor

    traced(BeeAIInstrumentor())
    from beeai_framework.backend import ChatModel, UserMessage

    async def main():
        await ChatModel.from_name(f"openai:{GPT}").run([UserMessage(PROMPT)])

    asyncio.run(main())


def crew():
    from crewai import LLM, Agent, Crew, Task

    agent = Agent(role="support-bot", goal="Help", backstory="Helps", llm=LLM(model=f"openai/{GPT}"))
    task = Task(description=PROMPT, expected_output="A place", agent=agent)
    Crew(agents=[agent], tasks=[task]).kickoff()


@setup
def openinference_py_crewai():
    os.environ["CREWAI_DISABLE_TELEMETRY"] = "true"
    from openinference.instrumentation.crewai import CrewAIInstrumentor
    from openinference.instrumentation.openai import OpenAIInstrumentor

    traced(CrewAIInstrumentor(), OpenAIInstrumentor())
    crew()


@setup
def openllmetry_py_crewai():
    os.environ["CREWAI_DISABLE_TELEMETRY"] = "true"
    from opentelemetry.instrumentation.crewai import CrewAIInstrumentor
    from opentelemetry.instrumentation.openai import OpenAIInstrumentor

    traced(CrewAIInstrumentor(), OpenAIInstrumentor())
    crew()


# Traces then name no file of this machine.
sys.tracebacklimit = 0
try:
    SETUPS[NAME.removesuffix("_fails")]()
except Exception:
    if not NAME.endswith("_fails"):
        raise
flush()
