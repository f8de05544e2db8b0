import type { MissingForHigh, Outcome } from '../../models/answers/decision.ts'
import type { DiffReport } from '../../models/answers/diff.ts'
import type { PromotionRequest } from '../../models/answers/promotion_request.ts'
import { readOnly, whyNoChanges } from '../access.ts'
import { Badge, Reasons } from '../ui/badge.tsx'
import { Judgement } from '../ui/judgement.tsx'
import { counted } from '../format.ts'
import type { PolicyJudged } from '../../rules/verdict_words.ts'
import { type Known, useRead } from '../query.ts'
import { useDiff } from '../reads.ts'
import { change, href } from '../route.ts'
import { LimitsTable } from './limits_table.tsx'
import type { Deciding } from './open.ts'
import { Blocked } from './power.tsx'
import { type Live, liveInstead } from './reviewed.tsx'
import { Button } from '../ui/button.tsx'

interface PreviewQuery {
  readonly what: Deciding
  readonly needsApproval: boolean
  readonly target: string
  readonly environment: string
  readonly window: string
  readonly baseline: string
}

export interface Previewed {
  readonly verdict: PolicyJudged | undefined
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
  const unasked = baseline === '' && !mayTry ? UNASKED : undefined
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

const UNASKED: PolicyJudged = { passed: true, result: 'first', reasons: [] }

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
  const comparing = { baseline, candidate: target, environment, window }
  // Without the diff it would pass for a moment what is worse.
  const isJudged = verdict !== undefined && (baseline === '' || !diff.loading || diff.data !== undefined)
  if (baseline === '' || !isJudged) {
    return (
      <div class="preview" aria-live="polite">
        <p>
          {!isJudged ? (
            (problem ?? 'Evaluating the policy…')
          ) : (
            <>
              <Badge tone="plain">nothing to compare</Badge>
              {verdict.passed && ' Nothing is promoted here, so the policy does not apply.'}
            </>
          )}
        </p>
        {isJudged && (
          <>
            <Reasons reasons={verdict.reasons} warnings={verdict.warnings} />
            <Blocked reasons={verdict.reasons} agent={agent} comparing={comparing} />
          </>
        )}
      </div>
    )
  }
  return (
    <Judgement
      label="Verdict now"
      policy={verdict}
      statistics={diff.data?.statistics}
      summary={diff.data?.summary}
    >
      <Blocked reasons={verdict.reasons} agent={agent} comparing={comparing} />
      {missing !== undefined && (
        <Missing
          missing={missing}
          onChoose={chosen => change({ decide_window: chosen }, { replace: true })}
        />
      )}
      {diff.data !== undefined && (
        <details class="raw">
          <summary>Limit by limit</summary>
          <LimitsTable rows={diff.data.judged?.rows ?? []} report={diff.data} names={['live', 'this']} />
        </details>
      )}
      <p>
        <a href={href('place', { agent, env: environment, baseline, candidate: target, window })}>
          See the whole comparison
        </a>
      </p>
    </Judgement>
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
        <Button kind="small" onClick={() => onChoose(shortest_window)}>
          Use {shortest_window}, which holds enough
        </Button>
      )}
    </p>
  )
}
