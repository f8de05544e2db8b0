import type { MissingForHigh, Outcome } from '../../models/answers/decision.ts'
import type { DiffReport } from '../../models/answers/diff.ts'
import type { PromotionRequest } from '../../models/answers/promotion_request.ts'
import type { PolicyVerdict } from '../../models/documents/policy.ts'
import { readOnly, whyNoChanges } from '../access.ts'
import { Badge, MissingRuns, Reasons } from '../components/badge.tsx'
import { Changes, Row } from '../components/changes.tsx'
import { Panel } from '../components/panels.tsx'
import { MEASURES, counted, figureOf } from '../format.ts'
import { VERDICTS, changeText } from '../components/change.ts'
import { judged } from '../components/judged.ts'
import { type Known, useRead } from '../query.ts'
import { useDiff } from '../reads.ts'
import { change, href } from '../route.ts'
import type { Deciding } from './open.ts'
import { type Live, liveInstead } from './reviewed.tsx'

interface PreviewQuery {
  readonly what: Deciding
  readonly needsApproval: boolean
  readonly target: string
  readonly environment: string
  readonly window: string
  readonly baseline: string
}

export interface Previewed {
  readonly verdict: Pick<PolicyVerdict, 'passed' | 'reasons' | 'warnings' | 'missing_evidence'> | undefined
  readonly missing: MissingForHigh | undefined
  readonly diff: Known<DiffReport>
  readonly problem: string | undefined
  /** What is live, where that is not the baseline. */
  readonly instead: Live | undefined
  readonly baseline: string
  readonly target: string
}

/**
 * What the service would decide now: by a dry run where one is allowed, else by the diff with what is promoted, which is
 * judged by the same policy.
 */
export function usePreview({
  what,
  needsApproval,
  target,
  environment,
  window,
  baseline,
}: PreviewQuery): Previewed {
  const mayTry = whyNoChanges.value === undefined && !readOnly.value && !needsApproval
  const replaced = { expected_baseline_release_id: baseline || null, ...firstOf(what, baseline) }
  const body = { release_id: target, environment, window, reason: 'dry run', dry_run: true, ...replaced }
  const dryRun = useRead<Outcome>(
    mayTry && target !== '' && window !== '' ? { method: 'POST', path: `v1/${what}`, body } : null,
    30_000,
  )
  const diff = useDiff({
    baseline: window === '' ? '' : baseline,
    candidate: target,
    environment,
    window,
  })
  // The policy does not apply to a first promotion: a read token suffices to know.
  const unasked = baseline === '' && !mayTry ? { passed: true, reasons: [] } : undefined
  const verdict = dryRun.data?.policy ?? diff.data?.policy ?? unasked
  return {
    verdict,
    missing: dryRun.data?.missing_for_high,
    diff,
    problem: verdict === undefined ? (dryRun.error ?? diff.error)?.message : undefined,
    instead: liveInstead(dryRun.error),
    baseline,
    target,
  }
}

/** What would become of a request that were confirmed now, where this is live. */
export function useRequestPreview(
  { release_id, environment, window }: PromotionRequest,
  baseline: string,
): Previewed {
  return usePreview({
    what: 'promote',
    needsApproval: true,
    target: release_id,
    environment,
    window,
    baseline,
  })
}

/** Where nothing is promoted, the dialog says so: what is sent is meant as a first promotion. */
export function firstOf(what: Deciding, baseline: string): { first?: true } {
  return what === 'promote' && baseline === '' ? { first: true } : {}
}

export function Preview({
  preview,
  agent,
  environment,
  window,
}: {
  preview: Previewed
  agent: string
  environment: string
  window: string
}) {
  const { verdict, missing, diff, problem, baseline, target } = preview
  const said = verdict && judged(verdict, baseline === '' ? undefined : diff.data?.statistics)
  return (
    <div class={`preview ${said?.tone ?? ''}`} aria-live="polite">
      {verdict === undefined ? (
        <p>{problem ?? 'Evaluating the policy…'}</p>
      ) : (
        <>
          <p>
            {baseline === '' ? (
              <Badge tone="plain">nothing to compare</Badge>
            ) : (
              <Badge tone={said!.tone}>
                <bdi>{said!.title}</bdi>
              </Badge>
            )}{' '}
            {baseline === ''
              ? 'Nothing is promoted here: there is nothing to compare with, and the policy does not apply.'
              : verdict.passed
                ? 'The policy passes now.'
                : 'The policy blocks this now:'}
          </p>
          <Reasons reasons={verdict.reasons} warnings={verdict.warnings} />
          <MissingRuns missing={verdict.missing_evidence} />
          <Panel
            slot="blocked"
            reasons={verdict.reasons}
            agent={agent}
            comparing={{ baseline, candidate: target, environment, window }}
          />
        </>
      )}
      {missing !== undefined && (
        <Missing
          missing={missing}
          onChoose={chosen => change({ decide_window: chosen }, { replace: true })}
        />
      )}
      {diff.data !== undefined && baseline !== '' && <Differences report={diff.data} />}
      {baseline !== '' && (
        <a href={href('diff', { agent, env: environment, baseline, candidate: target, window })}>
          See the whole diff
        </a>
      )}
    </div>
  )
}

/** What is missing, and the window that has it: a button where one can be chosen. */
export function Missing({
  missing,
  onChoose,
}: {
  missing: MissingForHigh
  onChoose?: (window: string) => void
}) {
  const { baseline_runs_needed, candidate_runs_needed, shortest_window } = missing
  const needs = [
    ...(candidate_runs_needed > 0
      ? [`the candidate needs ${counted(candidate_runs_needed, 'more run')}`]
      : []),
    ...(baseline_runs_needed > 0 ? [`the baseline needs ${counted(baseline_runs_needed, 'more run')}`] : []),
  ]
  if (needs.length === 0) return null
  return (
    <p class="hint">
      For HIGH confidence {needs.join(' and ')}.{' '}
      {shortest_window === null ? (
        'All the runs there are do not suffice.'
      ) : onChoose === undefined ? (
        `A window of ${shortest_window} holds enough.`
      ) : (
        <button type="button" class="button small" onClick={() => onChoose(shortest_window)}>
          Use {shortest_window}, which holds enough
        </button>
      )}
    </p>
  )
}

/** What the policy lets pass may be worse. */
function Differences({ report: { metrics, samples, statistics } }: { report: DiffReport }) {
  const { baseline_runs, candidate_runs } = samples
  const fewest = Math.min(baseline_runs, candidate_runs)
  return (
    <Changes what="Measure" sides={['Live now', 'This one', 'Change']}>
      {MEASURES.map(({ name, figure, statistic, format }) => (
        <Row
          key={name}
          name={name}
          cells={[
            figureOf(baseline_runs, metrics[`baseline_${figure}`], format),
            figureOf(candidate_runs, metrics[`candidate_${figure}`], format),
            <>
              {fewest === 0 ? 'no data' : changeText(statistic, statistics[statistic])}
              {fewest > 0 && (
                <span class={statistics[statistic].verdict}> {VERDICTS[statistics[statistic].verdict]}</span>
              )}
            </>,
          ]}
        />
      ))}
    </Changes>
  )
}
