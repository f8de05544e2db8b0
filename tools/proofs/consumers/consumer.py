import importlib
import json
import pkgutil
import sys

import release_governance_service_client as api
from release_governance_service_client.api.decisions import promote_release
from release_governance_service_client.api.operation import health
from release_governance_service_client.api.releases import releases_register
from release_governance_service_client.api.runs import runs_list
from release_governance_service_client.models import PromoteReleaseBody, ReleasesRegisterBody

for module in pkgutil.walk_packages(api.__path__, api.__name__ + "."):
    importlib.import_module(module.name)

client = api.Client(base_url=sys.argv[1])
assert health.sync(client=client).status == "ok"
registration = ReleasesRegisterBody.from_dict(json.loads(sys.argv[2]))
release_id = releases_register.sync(client=client, body=registration).release_id
proposal = PromoteReleaseBody(
    release_id=release_id, environment="prod", window="7d", reason="from Python", dry_run=True
)
outcome = promote_release.sync(client=client, body=proposal)
assert outcome.dry_run is True and outcome.policy.passed, outcome
unknown = runs_list.sync_detailed(client=client, release_id="rel_none", window="1h")
assert unknown.status_code == 400, unknown
print(unknown.parsed.detail)
