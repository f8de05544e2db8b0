"""OpenTelemetry with the stock exporter, as a Python program sets it up."""

from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor


def start_tracing() -> TracerProvider:
    resource = Resource(
        {
            "service.name": "support-bot",
            "service.version": "1.5.0",
            "deployment.environment.name": "prod",
        }
    )
    provider = TracerProvider(resource=resource)
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    trace.set_tracer_provider(provider)
    return provider
