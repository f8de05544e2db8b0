import type { DiffReport } from '../../../models/answers/diff.ts'
import type { PromotionRequest } from '../../../models/answers/promotion_request.ts'
import { PassedBadge, Reasons } from '../../components/badge.tsx'
import { Changes, Row } from '../../components/changes.tsx'
import { Note } from '../../components/note.tsx'
import { ReleaseId } from '../../components/place.tsx'
import { ExactTime } from '../../components/text.tsx'
import type { Previewed } from '../../decide/preview.tsx'
import { MEASURES, count, figureOf } from '../../format.ts'
import { useDiff } from '../../reads.ts'
import { href } from '../../route.ts'
import { nameOfPolicy, usePolicyHistory } from '../policy/reads.ts'

/** What a request was judged by when it was asked for, beside what it would be judged by now. */
export function Beside({ request, now }: { request: PromotionRequest; now: Previewed | undefined }) {
  const { release_id, environment, window, policy, baseline_release_id: before } = request
  const comparing = { candidate: release_id, environment, window }
  const asked = useDiff({ ...comparing, baseline: before ?? '', until: policy.evaluated_at })
  const sides = [
    { diff: asked.data, verdict: policy, baseline: before ?? '' },
    ...(now === undefined ? [] : [{ diff: now.diff.data, verdict: now.verdict, baseline: now.baseline }]),
  ]
  const row = (name: string, of: (report: DiffReport) => string) => (
    <Row
      key={name}
      name={name}
      cells={sides.map(({ diff, baseline }) =>
        baseline === '' ? 'nothing to compare' : diff === undefined ? '…' : of(diff),
      )}
    />
  )
  return (
    <>
      <Changes what="Evidence" sides={now === undefined ? ['When asked'] : ['When asked', 'Now']}>
        <Row
          name="Policy"
          cells={sides.map(({ verdict, baseline }) => (
            <>
              {verdict === undefined ? '…' : <PassedBadge passed={verdict.passed} />}
              {baseline === '' && ' unasked'}
            </>
          ))}
        />
        <Row
          name="Live"
          cells={sides.map(({ baseline }) => (baseline === '' ? 'nothing' : <ReleaseId id={baseline} />))}
        />
        {row('Runs', ({ samples }) => arrow(count(samples.baseline_runs), count(samples.candidate_runs)))}
        {MEASURES.map(measure => row(measure.name, report => figures(report, measure)))}
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

function figures({ metrics, samples }: DiffReport, { figure, format }: (typeof MEASURES)[number]): string {
  return arrow(
    figureOf(samples.baseline_runs, metrics[`baseline_${figure}`], format),
    figureOf(samples.candidate_runs, metrics[`candidate_${figure}`], format),
  )
}

/** A request is judged by the policy that is in force when it is confirmed. */
function PolicySince({ at }: { at: string }) {
  const since = usePolicyHistory('').data?.policies.filter(({ created_at }) => created_at > at) ?? []
  const [last] = since
  if (last === undefined) return null
  return (
    <Note>
      The policy was changed since it was asked for:{' '}
      <a href={href('policy', { to: nameOfPolicy(last) })}>what changed</a>
    </Note>
  )
}
