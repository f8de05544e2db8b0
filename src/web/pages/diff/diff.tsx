import type { DiffReport } from '../../../models/answers/diff.ts'
import { Filter, Select, WindowField } from '../../components/field.tsx'
import { PageHead, Section } from '../../components/page.tsx'
import { Raw } from '../../components/raw.tsx'
import { Empty, Loaded } from '../../components/states.tsx'
import { PromoteButton } from '../../decide/buttons.tsx'
import { type Comparing, useBoard, useDiff, usePolicy, useReach, useReleases } from '../../reads.ts'
import { change, href, param } from '../../route.ts'
import { Prices } from './prices.tsx'
import { Tiles } from './tiles.tsx'
import { Trend } from './trend.tsx'
import { Verdict } from './verdict.tsx'
import { Worst } from './worst.tsx'

/** What changed, is it safe, can I ship: the verdict first, then the numbers, then what is behind them. */
export function DiffPage() {
  const comparing = useComparing()
  const { baseline, candidate, environment } = comparing
  return (
    <>
      <PageHead title="Diff" about="What a candidate changes, and whether the policy lets it through.">
        {candidate !== '' && environment !== '' && (
          <PromoteButton agent={param('agent')} environment={environment} release={candidate} />
        )}
      </PageHead>
      <Pickers comparing={comparing} />
      {baseline === '' || candidate === '' || environment === '' ? (
        <Empty title="Choose two releases of one agent">
          <p>
            The <a href={href('board')}>board</a> links to the diff of what is live with what is newest.
          </p>
        </Empty>
      ) : (
        <Comparison comparing={comparing} />
      )}
    </>
  )
}

function Comparison({ comparing }: { comparing: Comparing }) {
  const diff = useDiff(comparing)
  const reach = useReach(comparing).data
  const policy = usePolicy().data
  const { baseline, candidate, window, environment } = comparing
  return (
    <Loaded known={diff} lines={12}>
      {(report: DiffReport) => (
        <>
          <Verdict report={report} reach={reach} comparing={comparing} agent={param('agent')} />
          <Tiles report={report} policy={policy} />
          <Section title="Over the window">
            <Trend
              baseline={baseline}
              candidate={candidate}
              window={window}
              environment={environment}
              policy={policy}
            />
          </Section>
          <Worst comparing={comparing} />
          <Prices report={report} />
          <Raw value={report} />
        </>
      )}
    </Loaded>
  )
}

/** The comparison that the URL names. Without a baseline it is what is live. */
function useComparing(): Comparing {
  const board = useBoard().data?.board ?? []
  const agent = param('agent')
  const environment = param('env') || (board.find(entry => entry.agent_id === agent)?.environment ?? '')
  const place = board.find(entry => entry.agent_id === agent && entry.environment === environment)
  return {
    baseline: param('baseline') || (place?.promoted?.release_id ?? ''),
    candidate: param('candidate'),
    environment,
    window: param('window') || '24h',
    tenant: param('tenant'),
    task: param('task'),
  }
}

function Pickers({ comparing }: { comparing: Comparing }) {
  const releases = useReleases().data?.releases ?? []
  const board = useBoard().data?.board ?? []
  const agent = param('agent')
  const agents = [...new Set(releases.map(release => release.agent_id))].sort()
  const environments = [
    ...new Set(board.filter(entry => entry.agent_id === agent).map(entry => entry.environment)),
  ]
  const ofAgent = releases.filter(release => release.agent_id === agent)
  const choices = ofAgent.map(
    ({ release_id, version }) => [release_id, `${version} · ${release_id}`] as const,
  )
  const hasFilters = comparing.tenant !== '' || comparing.task !== ''
  return (
    <div class="fields pickers">
      <Select
        label="Agent"
        value={agent}
        onChange={value => change({ agent: value, env: null, baseline: null, candidate: null })}
        options={agents.map(name => [name, name] as const)}
      />
      <Select
        label="Environment"
        value={comparing.environment}
        onChange={env => change({ env, baseline: null })}
        options={environments.map(name => [name, name] as const)}
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
      <details class="more" open={hasFilters}>
        <summary>Filters</summary>
        <div class="fields">
          <Filter label="Tenant" value={comparing.tenant} onChange={tenant => change({ tenant })} />
          <Filter label="Task" value={comparing.task} onChange={task => change({ task })} />
        </div>
      </details>
    </div>
  )
}
