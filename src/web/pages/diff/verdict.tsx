import type { Reach } from '../../../models/answers/decision.ts'
import type { DiffReport } from '../../../models/answers/diff.ts'
import { ConfidenceBadge, Reasons } from '../../components/badge.tsx'
import { Icon } from '../../components/icon.tsx'
import { Id } from '../../components/text.tsx'
import { count, counted, duration, exactTime } from '../../format.ts'
import { type Comparing, useBoard } from '../../reads.ts'
import { hereWith, href } from '../../route.ts'

/** The answer in words and a picture, before any number. */
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
  const { passed, reasons, warnings = [] } = report.policy
  const { samples, since, until } = report
  const tone = passed
    ? warnings.length === 0
      ? 'ok'
      : 'warn'
    : reasons.every(isAboutConfidence)
      ? 'warn'
      : 'bad'
  return (
    <section class={`verdict ${tone}`} aria-label="Verdict">
      <Icon name={ICONS[tone]} size={32} />
      <div>
        <h2>{passed ? 'Passes the policy' : blockedTitle(tone, reasons)}</h2>
        <Reasons reasons={reasons} warnings={warnings} />
        <p>
          <ConfidenceBadge confidence={samples.confidence} />{' '}
          <span class="figures">
            {count(samples.candidate_runs)} candidate runs against {count(samples.baseline_runs)}, from{' '}
            <time dateTime={since} title={since}>
              {exactTime(since).slice(0, 16)}
            </time>{' '}
            to{' '}
            <time dateTime={until} title={until}>
              {exactTime(until).slice(0, 16)}
            </time>
          </span>
        </p>
        {samples.confidence !== 'HIGH' && reach !== undefined && <Missing reach={reach} />}
        <NotLive comparing={comparing} agent={agent} />
      </div>
    </section>
  )
}

const ICONS = { ok: 'pass', warn: 'waiting', bad: 'block' } as const

/** The candidate broke no limit; there is only too little to tell. */
const isAboutConfidence = (reason: string): boolean => reason.startsWith('diff confidence is ')

function blockedTitle(tone: string, reasons: readonly string[]): string {
  return tone === 'warn'
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
    <ul class="missing">
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
  const place = useBoard().data?.board.find(
    entry => entry.agent_id === agent && entry.environment === environment,
  )
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
      Live in <bdi>{environment}</bdi> is <Id value={live} link={href('release', { id: live })} />: a
      promotion is judged against that. <a href={hereWith({ baseline: live })}>Compare with it</a>
    </p>
  )
}
