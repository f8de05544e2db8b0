import type { DiffReport } from '../../../models/answers/diff.ts'
import type { PromotionRequest } from '../../../models/answers/promotion_request.ts'
import { PassedBadge, Reasons } from '../../components/badge.tsx'
import { Changes } from '../../components/changes.tsx'
import { Icon } from '../../components/icon.tsx'
import { ExactTime, Id } from '../../components/text.tsx'
import type { Previewed } from '../../decide/preview.tsx'
import { count, figureOf, milliseconds, percent, usd } from '../../format.ts'
import { useDiff } from '../../reads.ts'
import { href } from '../../route.ts'
import { usePolicyHistory } from '../policy/reads.ts'

/** What a request was judged by when it was asked for, beside what it would be judged by now. */
export function Beside({ request, now }: { request: PromotionRequest; now: Previewed | undefined }) {
  const { release_id, environment, window, policy, baseline_release_id: before } = request
  const comparing = { candidate: release_id, environment, window, tenant: '', task: '' }
  const asked = useDiff({ ...comparing, baseline: before ?? '', until: policy.evaluated_at })
  const sides = [
    { diff: asked.data, verdict: policy, baseline: before ?? '' },
    ...(now === undefined ? [] : [{ diff: now.diff.data, verdict: now.verdict, baseline: now.baseline }]),
  ]
  const row = (name: string, of: (report: DiffReport) => string) => (
    <tr>
      <th scope="row">{name}</th>
      {sides.map(({ diff, baseline }, side) => (
        <td key={side} class="figures">
          {baseline === '' ? 'nothing to compare' : diff === undefined ? '…' : of(diff)}
        </td>
      ))}
    </tr>
  )
  return (
    <>
      <Changes what="Evidence" sides={now === undefined ? ['When asked'] : ['When asked', 'Now']}>
        <tr>
          <th scope="row">Policy</th>
          {sides.map(({ verdict, baseline }, side) => (
            <td key={side}>
              {verdict === undefined ? '…' : <PassedBadge passed={verdict.passed} />}
              {baseline === '' && ' unasked'}
            </td>
          ))}
        </tr>
        <tr>
          <th scope="row">Live</th>
          {sides.map(({ baseline }, side) => (
            <td key={side}>
              {baseline === '' ? 'nothing' : <Id value={baseline} link={href('release', { id: baseline })} />}
            </td>
          ))}
        </tr>
        {row('Runs', ({ samples }) => arrow(count(samples.baseline_runs), count(samples.candidate_runs)))}
        {row('Cost per run', figures('cost_per_run_usd', usd))}
        {row('Latency, mean', figures('latency_ms_avg', milliseconds))}
        {row('Error rate', figures('error_rate', percent))}
      </Changes>
      <p class="hint">
        Live, then this release. Asked at <ExactTime at={policy.evaluated_at} short />.
      </p>
      <Reasons reasons={policy.reasons} warnings={policy.warnings} />
      {now !== undefined && <PolicySince at={policy.evaluated_at} />}
    </>
  )
}

const arrow = (before: string, after: string): string => `${before} → ${after}`

type Figure = 'cost_per_run_usd' | 'latency_ms_avg' | 'error_rate'

function figures(name: Figure, format: (value: number) => string) {
  return function write({ metrics, samples }: DiffReport): string {
    return arrow(
      figureOf(samples.baseline_runs, metrics[`baseline_${name}`], format),
      figureOf(samples.candidate_runs, metrics[`candidate_${name}`], format),
    )
  }
}

/** A request is judged by the policy that is in force when it is confirmed. */
function PolicySince({ at }: { at: string }) {
  const since = usePolicyHistory('').data?.policies.filter(({ created_at }) => created_at > at) ?? []
  const [last] = since
  if (last === undefined) return null
  return (
    <p class="note warn">
      <Icon name="warn" />
      <span>
        The policy was changed since it was asked for:{' '}
        <a href={href('policy', { to: `${last.policy_id}@${last.seq}` })}>what changed</a>
      </span>
    </p>
  )
}
