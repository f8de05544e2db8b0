import type { Reach } from '../../../models/answers/decision.ts'
import type { DiffReport } from '../../../models/answers/diff.ts'
import { ConfidenceBadge } from '../../components/badge.tsx'
import { Note } from '../../components/note.tsx'
import { Fold, PageHead, Section } from '../../components/page.tsx'
import { ReleaseId } from '../../components/place.tsx'
import { Empty, Loaded } from '../../components/states.tsx'
import { CopyButton, ExactTime, Raw } from '../../components/text.tsx'
import { Verdict, usePolicyVerdict } from '../../components/verdict.tsx'
import { ReleasePromotion } from '../../decide/buttons.tsx'
import {
  type Comparing,
  useBoard,
  useDiff,
  usePlace,
  usePolicyOf,
  useReach,
  useReleases,
} from '../../reads.ts'
import { Panel, isFilled } from '../../components/panels.tsx'
import { addressWith, change, hereWith, href, param } from '../../route.ts'
import { WhatChanged } from './differs.tsx'
import { Limits } from '../../components/limits.tsx'
import { Spread } from './spread.tsx'
import { Tiles } from './tiles.tsx'
import { Filter, Select, WindowField } from '../../components/field.tsx'
import { useEnvironments } from '../../environments.ts'
import { Changes, Row } from '../../components/changes.tsx'
import { RATES, count, counted, duration, rate, signed, usd } from '../../format.ts'

/** What changed, is it safe, who is hit, can I ship: the verdict first, then the numbers, then what is behind them. */
export function DiffPage() {
  const comparing = useComparing()
  const { baseline, candidate, environment } = comparing
  return (
    <>
      <PageHead title="Diff" about="What a candidate changes, and whether the policy lets it through.">
        {candidate !== '' && environment !== '' && (
          <>
            <Panel slot="decide" agent={param('agent')} environment={environment} release={candidate} />
            <a class="button" href={href('agent', { agent: param('agent'), env: environment })}>
              The agent's page
            </a>
            {!comparing.tenant && !comparing.task && !comparing.until && (
              <ReleasePromotion agent={param('agent')} environment={environment} release={candidate} />
            )}
          </>
        )}
      </PageHead>
      <Pickers comparing={comparing} />
      <Moment until={comparing.until} />
      {baseline === '' || candidate === '' || environment === '' ? (
        <Empty title="Choose two releases of one agent">
          <p>
            The <a href={href('board')}>board</a> links to the diff of the live and the newest release.
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
  const agent = param('agent')
  const policy = usePolicyOf(agent, comparing.environment)
  return (
    <Loaded known={diff} lines={12}>
      {(report: DiffReport) => (
        <>
          <DiffVerdict report={report} reach={reach} comparing={comparing} agent={agent} />
          <ShareLink comparing={comparing} until={report.until} />
          <WhatChanged comparing={comparing} />
          <Panel slot="changed" report={report} comparing={comparing} />
          <Section title="How it runs">
            <Tiles report={report} policy={policy} />
            <Limits report={report} policy={policy} />
            <Panel slot="numbers" statistics={report.statistics} />
          </Section>
          <Panel slot="difference" comparing={comparing} statistics={report.statistics} />
          {isFilled('trend') && (
            <Section title="Over the window">
              <Panel slot="trend" comparing={comparing} agent={agent} policy={policy} />
            </Section>
          )}
          <Spread comparing={comparing} />
          <Panel slot="runs" comparing={comparing} />
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

/** What both sides were priced with, and what to mind about it. */
function Prices({ report: { pricing } }: { report: DiffReport }) {
  const { prices } = pricing
  const rows = [
    ['Provider', pricing.baseline_provider, pricing.candidate_provider],
    ['Price table', pricing.baseline_version, pricing.candidate_version],
    ['Model', pricing.baseline_model, pricing.candidate_model],
    ...RATES.map(
      ([label, name]) =>
        [`${label}, 1k tokens`, rate(prices[`baseline_${name}`]), rate(prices[`candidate_${name}`])] as const,
    ),
  ] as const
  return (
    <Fold
      title="Pricing"
      name="pricing"
      aside={
        <span class="faint">
          {pricing.pricing_or_model_changed ? 'model or prices differ' : 'same model and prices'}
        </span>
      }
    >
      <Changes what="What" sides={['Baseline', 'Candidate']}>
        {rows.map(([name, baseline, candidate]) => (
          <Row key={name} name={name} cells={[baseline, candidate]} differs={baseline !== candidate} />
        ))}
      </Changes>
      {pricing.warnings.map(text => (
        <Note key={text}>
          <bdi>{text}</bdi>
        </Note>
      ))}
      {pricing.hints.map(text => (
        <Note key={text} tone="info">
          <bdi>{text}</bdi>
        </Note>
      ))}
      <Catalog catalog={pricing.catalog} />
    </Fold>
  )
}

/** Both sides by the tariffs of comparable slots: what the change costs apart from the vendor's prices. */
function Catalog({ catalog }: { catalog: DiffReport['pricing']['catalog'] }) {
  const {
    enabled,
    catalog_version,
    baseline_cost_per_run_usd: before,
    candidate_cost_per_run_usd: after,
  } = catalog
  return (
    <>
      {enabled && (
        <p class="figures">
          By catalog <bdi>{catalog_version}</bdi>
          {before !== null && after !== null
            ? `: ${usd(before)} (${catalog.baseline_slot_id}) to ${usd(after)} (${catalog.candidate_slot_id}), ` +
              signed(catalog.delta_cost_per_run_usd ?? 0, usd)
            : ': no costs'}
        </p>
      )}
      {!enabled && catalog.warnings.length === 0 && <p class="faint">No pricing catalog is in use.</p>}
      {catalog.warnings.map(text => (
        <Note key={text}>
          <bdi>{text}</bdi>
        </Note>
      ))}
    </>
  )
}

/** The verdict of a diff, with how much was compared and what is missing. */
function DiffVerdict({
  report,
  reach,
  comparing,
  agent,
}: {
  report: DiffReport
  reach: Reach | undefined
  comparing: Comparing
  agent: string
}) {
  const { samples, since, until } = report
  const policy = usePolicyVerdict(report, comparing, agent)
  return (
    <Verdict policy={policy} report={report} comparing={comparing} agent={agent} narrow={hereWith}>
      {report.summary !== undefined && <p class="summary">{report.summary}</p>}
      <div class="verdict-foot">
        <p>
          <ConfidenceBadge confidence={samples.confidence} />{' '}
          <span class="figures">
            {count(samples.candidate_runs)} candidate runs against {count(samples.baseline_runs)}, from{' '}
            <ExactTime at={since} short /> to <ExactTime at={until} short />
          </span>
        </p>
        {samples.confidence !== 'HIGH' && reach !== undefined && <Missing reach={reach} />}
        <NotLive comparing={comparing} agent={agent} />
      </div>
    </Verdict>
  )
}

/** What it takes to be sure, and about how long that is at the rate of the last hour. */
function Missing({ reach }: { reach: Reach }) {
  const { missing_for_high: missing } = reach
  const sides = [
    ['candidate', missing.candidate_runs_needed, reach.candidate_runs_last_hour],
    ['baseline', missing.baseline_runs_needed, reach.baseline_runs_last_hour],
  ] as const
  return (
    <ul class="reasons">
      {sides
        .filter(([, needed]) => needed > 0)
        .map(([side, needed, perHour]) => (
          <li key={side}>
            The {side} needs {counted(needed, 'more run')} for HIGH
            {perHour > 0
              ? `, about ${duration((needed / perHour) * 3_600_000)} at the rate of the last hour`
              : '; it had none in the last hour'}
            .
          </li>
        ))}
      {missing.shortest_window !== null && (
        <li>
          <a href={hereWith({ window: missing.shortest_window })}>
            A window of {missing.shortest_window} holds enough now
          </a>
        </li>
      )}
    </ul>
  )
}

/** A promotion is judged against what is live, whatever is compared here. */
function NotLive({
  comparing: { baseline, environment, candidate },
  agent,
}: {
  comparing: Comparing
  agent: string
}) {
  const place = usePlace(agent, environment)
  if (place?.promoted == null || place.promoted.release_id === baseline) return null
  const live = place.promoted.release_id
  if (live === candidate) {
    return (
      <p class="hint">
        The candidate is live in <bdi>{environment}</bdi> already.
      </p>
    )
  }
  return (
    <p class="hint">
      Live in <bdi>{environment}</bdi> is <ReleaseId id={live} />: a promotion is judged against that.{' '}
      <a href={hereWith({ baseline: live })}>Compare with it</a>
    </p>
  )
}
