import type { ComponentChildren } from 'preact'
import type { Reach } from '../../../models/answers/decision.ts'
import type { DiffReport } from '../../../models/answers/diff.ts'
import { isAboutConfidence } from '../../../rules/policy.ts'
import { ConfidenceBadge, Reasons } from '../../components/badge.tsx'
import { Icon, type IconName } from '../../components/icon.tsx'
import { ReleaseId } from '../../components/place.tsx'
import { ExactTime } from '../../components/text.tsx'
import { count, counted, duration } from '../../format.ts'
import { Panel } from '../../components/panels.tsx'
import { type Comparing, usePlace } from '../../reads.ts'
import { MissingRuns } from '../../decide/preview.tsx'
import { hereWith } from '../../route.ts'
import {
  DOUBTS,
  METRICS,
  type MetricName,
  VERDICTS,
  changeText,
  leadingMetric,
  overallVerdict,
} from '../../components/change.ts'

type Tone = 'ok' | 'warn' | 'bad' | 'plain'

/** Two answers before any number: what the policy says, and what changed. */
export function Verdict({
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
  const { passed, reasons, warnings = [], missing_evidence: missing } = report.policy
  const { samples, since, until } = report
  const isWorse = overallVerdict(report.statistics) === 'worse'
  const isUnsure = !passed && reasons.every(isAboutConfidence)
  const tone: Tone = passed ? (isWorse || warnings.length > 0 ? 'warn' : 'ok') : isUnsure ? 'warn' : 'bad'
  return (
    <section class={`verdict ${tone}`} aria-label="Verdict">
      <Line label="Policy" tone={passed ? (warnings.length > 0 ? 'warn' : 'ok') : isUnsure ? 'warn' : 'bad'}>
        <h2>{passed ? 'Passes the policy' : blockedTitle(isUnsure, reasons)}</h2>
        <Reasons reasons={reasons} warnings={warnings} />
        <MissingRuns missing={missing} />
      </Line>
      <ChangeLine report={report} comparing={comparing} />
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
    </section>
  )
}

const ICONS: Readonly<Record<Tone, IconName>> = { ok: 'pass', warn: 'warn', bad: 'block', plain: 'same' }

function Line({ label, tone, children }: { label: string; tone: Tone; children: ComponentChildren }) {
  return (
    <div class={`verdict-line-of ${tone}`}>
      <p class="verdict-label">
        <Icon name={ICONS[tone]} size={20} />
        {label}
      </p>
      <div>{children}</div>
    </div>
  )
}

const TITLES = {
  worse: 'Worse',
  better: 'Better',
  no_difference: 'No difference',
  inconclusive: 'Too early to tell',
} as const
const TONES = { worse: 'warn', better: 'ok', no_difference: 'plain', inconclusive: 'plain' } as const

/** How much better or worse, how sure that is, and who is hit by it. */
function ChangeLine({ report: { statistics }, comparing }: { report: DiffReport; comparing: Comparing }) {
  const overall = overallVerdict(statistics)
  const leading = leadingMetric(statistics)
  const isChange = overall === 'worse' || overall === 'better'
  const others = METRICS.filter(([name]) => !isChange || name !== leading)
  const nameOf = (name: MetricName): string => METRICS.find(([metric]) => metric === name)![1]
  return (
    <Line label="Change" tone={TONES[overall]}>
      <h2>
        {TITLES[overall]}
        {isChange && (
          <>
            :{' '}
            <span class="nowrap">{`${nameOf(leading)} ${changeText(leading, statistics[leading]) ?? ''}`}</span>
            <Panel slot="verdict" comparing={comparing} metric={leading} />
          </>
        )}
      </h2>
      <ul class="changes-list">
        {others.map(([name, label]) => {
          const { verdict, inconclusive_because } = statistics[name]
          const doubt = inconclusive_because === null ? '' : `: ${DOUBTS[inconclusive_because]}`
          return (
            <li key={name} class="figures">
              {label} {changeText(name, statistics[name]) ?? 'no data'}{' '}
              <span class={`said ${verdict}`}>
                {VERDICTS[verdict]}
                {doubt}
              </span>
            </li>
          )
        })}
      </ul>
    </Line>
  )
}

function blockedTitle(isUnsure: boolean, reasons: readonly string[]): string {
  return isUnsure
    ? 'Blocked by policy: too few runs to tell'
    : `Blocked by policy: ${counted(reasons.length, 'reason')}`
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
