import type { Reach } from '../../../models/answers/decision.ts'
import type { DiffReport } from '../../../models/answers/diff.ts'
import { ConfidenceBadge } from '../../components/badge.tsx'
import { ReleaseId } from '../../components/place.tsx'
import { ExactTime } from '../../components/text.tsx'
import { Verdict, usePolicyVerdict } from '../../components/verdict.tsx'
import { count, counted, duration } from '../../format.ts'
import { type Comparing, usePlace } from '../../reads.ts'
import { hereWith } from '../../route.ts'

/** The verdict of a diff, with how much was compared and what is missing. */
export function DiffVerdict({
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
