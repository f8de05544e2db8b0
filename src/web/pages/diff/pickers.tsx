import { Filter, Select, WindowField } from '../../components/field.tsx'
import { useEnvironments } from '../../environments.ts'
import { type Comparing, useReleases } from '../../reads.ts'
import { change, param } from '../../route.ts'

/** What is compared: agent, environment, both releases, the window and its filters. */
export function Pickers({ comparing }: { comparing: Comparing }) {
  const releases = useReleases().data?.releases ?? []
  const agent = param('agent')
  const agents = [...new Set(releases.map(release => release.agent_id))].sort()
  const environments = useEnvironments(agent)
  const ofAgent = releases.filter(release => release.agent_id === agent)
  const choices = ofAgent.map(
    ({ release_id, version }) => [release_id, `${version} · ${release_id}`] as const,
  )
  return (
    <div class="fields pickers">
      <Select
        label="Agent"
        value={agent}
        onChange={value => change({ agent: value, env: null, baseline: null, candidate: null })}
        options={agents}
      />
      <Select
        label="Environment"
        value={comparing.environment}
        onChange={env => change({ env, baseline: null })}
        options={environments}
      />
      <Select
        label="Baseline"
        value={comparing.baseline}
        onChange={baseline => change({ baseline })}
        options={choices}
      />
      <Select
        label="Candidate"
        value={comparing.candidate}
        onChange={candidate => change({ candidate })}
        options={choices}
      />
      <WindowField value={comparing.window} onChange={window => change({ window })} />
      <Filter label="Tenant" value={param('tenant')} onChange={tenant => change({ tenant })} />
      <Filter label="Task" value={param('task')} onChange={task => change({ task })} />
    </div>
  )
}
