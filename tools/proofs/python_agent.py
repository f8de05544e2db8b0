"""
An agent that is traced by what everybody installs:
    python python_agent.py openinference|openllmetry batch|simple MODEL_URL
"""

import sys
import time

from openai import OpenAI
from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SimpleSpanProcessor

AGENT = {
    "openinference": {"openinference.span.kind": "AGENT", "agent.name": "support-bot"},
    "openllmetry": {"traceloop.span.kind": "agent", "gen_ai.agent.name": "support-bot"},
}
# The batch processor sends every 5 s, the simple one each span by itself.
PROCESSORS = {"batch": (BatchSpanProcessor, 7), "simple": (SimpleSpanProcessor, 0)}

instrumentation, processor, model_url = sys.argv[1:]
make_processor, pause = PROCESSORS[processor]
provider = TracerProvider()
provider.add_span_processor(make_processor(OTLPSpanExporter()))
trace.set_tracer_provider(provider)
if instrumentation == "openinference":
    from openinference.instrumentation.openai import OpenAIInstrumentor
else:
    from opentelemetry.instrumentation.openai import OpenAIInstrumentor
OpenAIInstrumentor().instrument(tracer_provider=provider)

client = OpenAI(base_url=f"{model_url}/v1", api_key="k", max_retries=0)


def ask(question):
    client.chat.completions.create(model="gpt-4.1-mini", messages=[{"role": "user", "content": question}])


for question in ("Where is my order?", "And my refund?"):
    with trace.get_tracer("agent").start_as_current_span("answer", attributes=AGENT[instrumentation]):
        ask(question)
        time.sleep(pause)
        ask("Are you sure?")
provider.shutdown()
