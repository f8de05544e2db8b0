DROP INDEX run_events_session;

CREATE INDEX run_events_session ON run_events (seq / 4096, session_id) WHERE session_id IS NOT NULL;

DROP INDEX run_events_trace;

CREATE INDEX run_events_trace ON run_events (seq / 4096, trace_id) WHERE trace_id IS NOT NULL;

DROP INDEX run_events_span;

CREATE INDEX run_events_span ON run_events (seq / 4096, span_id) WHERE span_id IS NOT NULL;
