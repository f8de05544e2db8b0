import type { ComponentChildren } from 'preact'
import type { DiffReport } from '../../models/answers/diff.ts'
import type { DiffStatistics } from '../../models/answers/statistics.ts'
import { type PolicyJudged, judged } from '../../rules/verdict_words.ts'
import type { Comparing } from '../reads.ts'
import { percent } from '../format.ts'
import { href } from '../route.ts'
import { MissingRuns, Reasons, type Tone } from './badge.tsx'
import {
  METRICS,
  type MetricName,
  VERDICTS,
  changeText,
  doubtText,
  leadingMetric,
  overallVerdict,
} from './change.ts'
import { Icon, type IconName } from './icon.tsx'
import { Words } from './text.tsx'

/** The link to the same for one tenant or task. */
type Narrow = (filter: { readonly tenant?: string; readonly task?: string }) => string

/** What a verdict says of the change: an answer of a diff, or what a decision rested on. */
type Compared = Pick<DiffReport, 'statistics' | 'segments' | 'warnings'>

/**
 * What decides about a candidate, in the same lines everywhere: what the policy says, what changed, who is hit, and how
 * alike is what was compared. Without a report it is the policy alone.
 */
export function Verdict({
  policy,
  report,
  comparing,
  agent,
  label = 'Verdict',
  narrow = filter => diffLink(agent, comparing, filter),
  children,
}: {
  /** Undefined where the policy does not apply. */
  policy: PolicyJudged | undefined
  report: Compared | undefined
  comparing: Comparing
  agent: string
  /** Tells it from another one that is on show. */
  label?: string
  narrow?: Narrow
  children?: ComponentChildren
}) {
  const { tone, title } =
    policy === undefined ? { tone: 'plain' as const, title: '' } : judged(policy, report?.statistics)
  return (
    <section class={`verdict ${tone}`} aria-label={label}>
      {policy === undefined ? (
        <h2>{label}</h2>
      ) : (
        <Line label="Policy" tone={tone}>
          <h2>{title}</h2>
          <Reasons reasons={policy.reasons} warnings={policy.warnings} />
          <MissingRuns missing={policy.missing_evidence} />
        </Line>
      )}
      {report !== undefined && (
        <>
          <ChangeLine report={report} />
          <HitLine report={report} narrow={narrow} />
          <AlikeLine report={report} />
        </>
      )}
      {children}
    </section>
  )
}

function diffLink(
  agent: string,
  { baseline, candidate, environment: env, window, until }: Comparing,
  filter: Parameters<Narrow>[0],
): string {
  return href('place', { agent, env, baseline, candidate, window, until, ...filter })
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

/** How much better or worse, how sure that is, and where most of it comes from. */
function ChangeLine({ report: { statistics } }: { report: Compared }) {
  const overall = overallVerdict(statistics)
  const leading = leadingMetric(statistics)
  const isChange = overall === 'worse' || overall === 'better'
  const others = METRICS.filter(([name]) => !isChange || name !== leading)
  return (
    <Line label="Change" tone={TONES[overall]}>
      <h2>
        {TITLES[overall]}
        {isChange && (
          <>
            :{' '}
            <span class="nowrap">{`${nameOf(leading)} ${changeText(leading, statistics[leading]) ?? ''}`}</span>
          </>
        )}
      </h2>
      <ul class="changes-list">
        {others.map(([name, label]) => {
          const { verdict } = statistics[name]
          const doubt = doubtText(name, statistics)
          const change = changeText(name, statistics[name])
          return (
            <li key={name} class="figures">
              {label} {change ?? 'no data'}{' '}
              {change !== undefined && (
                <span class={`said ${verdict}`}>
                  {VERDICTS[verdict]}
                  {doubt !== '' && `: ${doubt}`}
                </span>
              )}
            </li>
          )
        })}
      </ul>
    </Line>
  )
}

const nameOf = (name: MetricName): string => METRICS.find(([metric]) => metric === name)![1]

/** Most tenants and tasks that are named. */
const MOST_NAMED = 4

/** Tenants and tasks that are worse off, whether or not all together are. */
function HitLine({ report: { statistics, segments = [] }, narrow }: { report: Compared; narrow: Narrow }) {
  const { segment_regressions: spots } = statistics
  if (spots == null || spots.found.length === 0) return null
  const groups = [...Map.groupBy(spots.found, ({ kind, segment }) => `${kind} ${segment}`).values()]
  return (
    <Line label="Who is hit" tone="warn">
      <ul class="reasons">
        {groups.slice(0, MOST_NAMED).map(found => {
          const { kind, segment } = found[0]!
          const name = segments.find(({ id }) => id === segment)?.name ?? ''
          return (
            <li key={`${kind} ${segment}`}>
              {name === '' ? (
                `a ${kind} whose name is not known here`
              ) : (
                <>
                  {kind}{' '}
                  <a href={narrow({ [kind]: name })}>
                    <Words>{name}</Words>
                  </a>
                </>
              )}
              :{' '}
              <span class="figures">
                {found.map(spot => `${nameOf(spot.metric)} ${spotText(statistics, spot)}`).join(', ')}
              </span>
            </li>
          )
        })}
      </ul>
      {groups.length > MOST_NAMED && (
        <p class="hint">And {groups.length - MOST_NAMED} more; see where it is.</p>
      )}
    </Line>
  )
}

type Spot = NonNullable<DiffStatistics['segment_regressions']>['found'][number]

function spotText(statistics: DiffStatistics, { metric, difference, relative_change }: Spot): string {
  return changeText(metric, { ...statistics[metric], difference, relative_change }) ?? ''
}

/** Below this share of the runs a reader should mind that the rest was not compared, %. */
const MOSTLY = 0.8

/** What was compared, where that is not all of it. */
function AlikeLine({ report: { statistics, warnings = [] } }: { report: Compared }) {
  const share = statistics.latency_ms.clusters.shared_runs_share ?? 1
  const doubt = METRICS.map(([name]) =>
    doubtText(name, statistics, statistics[name].comparability_doubt ?? null),
  ).find(text => text !== '')
  const isPart = statistics.compare_by === 'time' && share > 0 && share < MOSTLY
  if (doubt === undefined && !isPart && warnings.length === 0) return null
  return (
    <Line label="Compared" tone="warn">
      {isPart && (
        <p>{percent(share)} of the runs are of times in which both releases ran; only these are compared.</p>
      )}
      {doubt !== undefined && <p>Not comparable: {doubt}.</p>}
      <Reasons reasons={warnings} />
    </Line>
  )
}
