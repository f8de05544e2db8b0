import type { ComponentChildren } from 'preact'
import type { MissingEvidence, Result } from '../../models/documents/policy.ts'
import { missingText } from '../../rules/missing_evidence.ts'
import { RESULT_WORDS } from '../../rules/result.ts'
import { confidenceText } from '../../rules/verdict_words.ts'
import { reasonWords } from '../../rules/reason_words.ts'
import { Icon, type IconName } from './icon.tsx'

export type Tone = 'ok' | 'bad' | 'warn' | 'plain'

const ICONS: Readonly<Record<Tone, IconName>> = { ok: 'pass', bad: 'block', warn: 'warn', plain: 'info' }

/** A verdict in a word: icon, word and colour say the same. */
export function Badge({
  tone,
  icon = ICONS[tone],
  children,
}: {
  tone: Tone
  icon?: IconName
  children: ComponentChildren
}) {
  return (
    <span class={`badge ${tone}`}>
      <Icon name={icon} size={14} />
      {children}
    </span>
  )
}

const TONES = { passed: 'ok', first: 'ok', forced: 'bad', not_yet: 'warn', blocked: 'bad' } as const

export function ResultBadge({ result }: { result: Result }) {
  return <Badge tone={TONES[result]}>{RESULT_WORDS[result]}</Badge>
}

/** Whether there are enough runs. */
export function ConfidenceBadge({ confidence }: { confidence: 'HIGH' | 'MEDIUM' | 'LOW' }) {
  const tone = { HIGH: 'plain', MEDIUM: 'warn', LOW: 'bad' } as const
  return <Badge tone={tone[confidence]}>{confidenceText(confidence)}</Badge>
}

/** A reason as it is read at a glance, and as the contract has it unless it is `brief`. */
function Reason({ reason, brief }: { reason: string; brief: boolean }) {
  const words = reasonWords(reason)
  if (words === undefined) return <bdi>{reason}</bdi>
  return (
    <>
      {words[0]!.toUpperCase() + words.slice(1)}
      {!brief && (
        <span class="faint">
          {' '}
          <bdi>{reason}</bdi>
        </span>
      )}
    </>
  )
}

/** What the policy said, line by line, and what is to be minded though it blocks nothing. */
export function Reasons({
  reasons,
  warnings = [],
  brief = false,
}: {
  reasons: readonly string[]
  warnings?: readonly string[] | undefined
  brief?: boolean
}) {
  if (reasons.length + warnings.length === 0) return null
  return (
    <ul class="reasons">
      {reasons.map(reason => (
        <li key={reason}>
          <Reason reason={reason} brief={brief} />
        </li>
      ))}
      {warnings.map(warning => (
        <li key={warning}>
          Note: <bdi>{warning}</bdi>
        </li>
      ))}
    </ul>
  )
}

/** How many more runs it takes, and how long that is. */
export function MissingRuns({ missing }: { missing: MissingEvidence | undefined }) {
  return missing === undefined ? null : <p class="hint">{missingText(missing)}</p>
}
