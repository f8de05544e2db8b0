import type { DiffReport } from '../../../models/answers/diff.ts'
import { Note } from '../../components/note.tsx'
import { PageHead, Section } from '../../components/page.tsx'
import { Raw } from '../../components/raw.tsx'
import { Empty, Loaded } from '../../components/states.tsx'
import { CopyButton, ExactTime } from '../../components/text.tsx'
import { DecideButton } from '../../decide/buttons.tsx'
import { type Comparing, useBoard, useDiff, usePlace, usePolicy, useReach, useReleases } from '../../reads.ts'
import { addressWith, change, hereWith, href, param } from '../../route.ts'
import { WhatChanged } from './differs.tsx'
import { Where } from './groups.tsx'
import { Power } from './power.tsx'
import { Prices } from './prices.tsx'
import { Spread } from './spread.tsx'
import { Tails } from './tails.tsx'
import { Tiles } from './tiles.tsx'
import { Trend } from './trend.tsx'
import { Verdict } from './verdict.tsx'
import { Worst } from './worst.tsx'
import { Filter, Select, WindowField } from '../../components/field.tsx'
import { useEnvironments } from '../../environments.ts'

/** What changed, is it safe, who is hit, can I ship: the verdict first, then the numbers, then what is behind them. */
export function DiffPage() {
  const comparing = useComparing()
  const { baseline, candidate, environment } = comparing
  return (
    <>
      <PageHead title="Diff" about="What a candidate changes, and whether the policy lets it through.">
        {candidate !== '' && environment !== '' && (
          <DecideButton what="promote" agent={param('agent')} environment={environment} release={candidate} />
        )}
      </PageHead>
      <Pickers comparing={comparing} />
      <Moment until={comparing.until} />
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

/** Where the address names a moment, the page shows that one and not the present. */
function Moment({ until = '' }: { until: string | undefined }) {
  if (until === '') return null
  return (
    <Note tone="info" icon="waiting">
      As of <ExactTime at={until} />, judged by the policy that is in force now.{' '}
      <a href={hereWith({ until: null })}>Show the present</a>
    </Note>
  )
}

function Comparison({ comparing }: { comparing: Comparing }) {
  const diff = useDiff(comparing, { tails: true })
  const reach = useReach(comparing).data
  const policy = usePolicy().data
  const agent = param('agent')
  return (
    <Loaded known={diff} lines={12}>
      {(report: DiffReport) => (
        <>
          <Verdict report={report} reach={reach} comparing={comparing} agent={agent} />
          <ShareLink comparing={comparing} until={report.until} />
          <WhatChanged comparing={comparing} />
          {report.surface !== undefined && (
            <Power difference={report.surface} candidate={comparing.candidate} />
          )}
          <Section title="How it runs">
            <Tiles report={report} policy={policy} />
            <Tails statistics={report.statistics} />
          </Section>
          <Where comparing={comparing} statistics={report.statistics} />
          <Section title="Over the window">
            <Trend comparing={comparing} agent={agent} policy={policy} />
          </Section>
          <Spread comparing={comparing} />
          <Worst comparing={comparing} />
          <Prices report={report} />
          <Raw value={report} />
        </>
      )}
    </Loaded>
  )
}

/** A window that ends now shows something else tomorrow; this link doesn't. */
function ShareLink({ comparing, until }: { comparing: Comparing; until: string }) {
  const { baseline, candidate, environment: env, window } = comparing
  const link = addressWith({ baseline, candidate, env, window, until })
  return (
    <p class="share-link">
      <CopyButton text={link} what="a link to this moment" label="Copy link to this moment" />
    </p>
  )
}

/** The comparison that the URL names. Without a baseline it is what is live. */
function useComparing(): Comparing {
  const board = useBoard().data?.board ?? []
  const agent = param('agent')
  const environment = param('env') || (board.find(entry => entry.agent_id === agent)?.environment ?? '')
  const place = usePlace(agent, environment)
  return {
    baseline: param('baseline') || (place?.promoted?.release_id ?? ''),
    candidate: param('candidate'),
    environment,
    window: param('window') || '24h',
    tenant: param('tenant'),
    task: param('task'),
    until: param('until'),
  }
}

/** What is compared: agent, environment, both releases, the window and its filters. */
function Pickers({ comparing }: { comparing: Comparing }) {
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
