import type { ComponentChildren } from 'preact'
import type { DiffStatistics } from '../../models/answers/statistics.ts'
import { type PolicyJudged, judged } from '../../rules/verdict_words.ts'
import { MissingRuns, Reasons } from './badge.tsx'
import { Icon } from './icon.tsx'
import { Words } from './text.tsx'

/** What the policy says of a candidate, and what changed, in the same words now and on record. */
export function Judgement({
  label,
  policy,
  statistics,
  summary,
  children,
}: {
  label: string
  policy: PolicyJudged
  statistics: DiffStatistics | undefined
  summary: string | undefined
  children?: ComponentChildren
}) {
  const { tone, title } = judged(policy, statistics)
  return (
    <section class={`preview ${tone}`} aria-label={label} aria-live="polite">
      <h3>
        <Icon name={ICONS[tone]} size={14} />
        <span>{title}</span>
      </h3>
      {summary !== undefined && (
        <p>
          <Words>{summary}</Words>
        </p>
      )}
      <Reasons reasons={policy.reasons} warnings={policy.warnings} brief />
      <MissingRuns missing={policy.missing_evidence} />
      {children}
    </section>
  )
}

const ICONS = { ok: 'pass', warn: 'warn', bad: 'block' } as const
