"""Sends the runs of an agent to a release governance service, and registers, gates and promotes its releases.

    from release_governance import Emitter, run

    with Emitter("http://127.0.0.1:8765", defaults={"agent_id": "support-bot", "environment": "prod"}) as emitter:
        with run(emitter, release_id="rel_0123456789ab", tenant_id="acme") as this:
            answer = this.count(client.responses.create(model="gpt-4.1-mini", input=question))
"""

from ._emitter import Emitter
from ._run import Run, run
from ._service import Refused, Service, Unavailable
from ._usage import Counts, UsageError, count, source_of

__all__ = ["Counts", "Emitter", "Refused", "Run", "Service", "Unavailable", "UsageError", "count", "run", "source_of"]
