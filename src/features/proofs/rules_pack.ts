import { csvField, jsonOf, safe } from '../../base/text.ts'
import { isoTime } from '../../base/time.ts'
import { decisionSentence } from '../../rules/decision_sentence.ts'
import type { Result } from '../../models/documents/policy.ts'
import { FORCED_REASON, RESULT_WORDS, resultOf } from '../../rules/result.ts'
import type { PackEntry } from './rules_pack_entry.ts'

/** What a pack says besides its entries. */
interface PackFacts {
  readonly origin: string
  readonly size: number
  readonly since: string
  /** When the checkpoint was made. */
  readonly until: string
  readonly isSigned: boolean
  readonly span: readonly PackEntry[]
  readonly earlier: readonly PackEntry[]
  readonly decisions: readonly PackDecision[]
}

/** A decision as a row of decisions.csv; what its record lacks is null. */
export type PackDecision = Readonly<Record<(typeof COLUMNS)[number], string | number | null>>

const COLUMNS = [
  'log_seq',
  'audit_seq',
  'action_id',
  'created_at',
  'action',
  'agent_id',
  'environment',
  'release_id',
  'baseline_release_id',
  'result',
  'actor',
  'actor_source',
  'reason',
  'record_sha256',
  'policy_id',
  'policy_sha256',
  'policy_reasons',
  'window',
  'baseline_runs',
  'candidate_runs',
  'confidence',
  'request_id',
  'requested_by',
  'reviewed_by',
] as const

/** What of the record of a decision is read; of older ones parts may be missing. */
interface DecisionRecord {
  readonly audit_seq?: number
  readonly baseline_release_id?: string | null
  readonly policy_reasons?: readonly string[]
  readonly evidence?: {
    readonly window?: { readonly text: string }
    readonly policy?: { readonly policy_id: string }
    readonly request?: { readonly request_id: string; readonly requested_by: string } | null
    readonly evaluation?: {
      readonly baseline?: Side
      readonly candidate?: Side
      readonly confidence: string
    } | null
  } | null
}

interface Side {
  readonly variants: readonly { readonly runs: number }[]
}

/**
 * A decision by its entry and its record; `reviews` are the entries of reviews of the span, `inForce` the hash that the entry of
 * the policy has, which was in force then.
 */
export function packDecision(
  { log_seq, subject, created_at, actor, actor_source, reason, fact, details }: PackEntry,
  record: string | null,
  reviews: readonly PackEntry[],
  inForce: string | null,
): PackDecision {
  const { audit_seq, baseline_release_id, policy_reasons, evidence } = (jsonOf(record ?? '') ??
    {}) as DecisionRecord
  const { window, policy, request, evaluation } = evidence ?? {}
  // Without its record an entry alone says how it came out.
  const reasons = policy_reasons ?? (details.forced === true ? [FORCED_REASON] : [])
  const text = (value: unknown): string | null => (typeof value === 'string' ? value : null)
  return {
    log_seq,
    audit_seq: audit_seq ?? null,
    action_id: subject,
    created_at: isoTime(created_at),
    action: text(details.action),
    agent_id: text(details.agent_id),
    environment: text(details.environment),
    release_id: text(details.release_id),
    baseline_release_id: baseline_release_id ?? null,
    result: resultOf({ passed: details.policy_passed === true, reasons }),
    actor,
    actor_source,
    reason,
    record_sha256: fact,
    policy_id: policy?.policy_id ?? null,
    policy_sha256: inForce,
    policy_reasons: policy_reasons?.join('; ') ?? null,
    window: window?.text ?? null,
    baseline_runs: runsOf(evaluation?.baseline),
    candidate_runs: runsOf(evaluation?.candidate),
    confidence: evaluation?.confidence ?? null,
    request_id: request?.request_id ?? null,
    requested_by: request?.requested_by ?? null,
    reviewed_by:
      reviews
        .filter(review => review.details.action_id === subject)
        .map(review => review.actor)
        .join('; ') || null,
  }
}

function runsOf(side: Side | undefined): number | null {
  return side === undefined ? null : side.variants.reduce((sum, { runs }) => sum + runs, 0)
}

/** The decisions of a pack as CSV (RFC 4180), oldest first. */
export function decisionsCsv(decisions: readonly PackDecision[]): string {
  const rows = decisions.map(decision => COLUMNS.map(name => csvField(String(decision[name] ?? ''))))
  return [COLUMNS, ...rows].map(row => `${row.join(',')}\r\n`).join('')
}

/** The text of a pack: how to check it, a sentence per decision, and what nothing of it proves. */
export function packText(facts: PackFacts): string {
  const { origin, size, since, until, isSigned, span, earlier, decisions } = facts
  const missing = [
    ...(isSigned ? [] : ['Who made the checkpoint: it is not signed (--sign KEY, or SERVICE_SIGNING_KEY).']),
    ...ALWAYS_MISSING,
  ]
  const lines = [
    `Audit pack of ${safe(origin)}`,
    `From ${since} to ${until}: entries ${span[0]!.log_seq} to ${size} of ${size}, and ${earlier.length} earlier ones that they rest on.`,
    '',
    'entries.jsonl has each entry with the proof that it is in the log. To check that, without this program:',
    '    python3 verify.py entries.jsonl --answers answers.txt --decisions decisions.csv',
    'or open verify.html, and give it entries.jsonl. Each decision has its record with it: sums, rates, statistics and policy. The',
    'verifiers decide again by limits on means and by confidence, which take no statistics.',
    'decisions.csv and these words are a reading of the entries; only the entries carry proofs. With the ledger,',
    '`svc audit explain act_…` decides an action again, limit by limit.',
    '',
    'Decisions, by their entries',
    ...(decisions.length === 0 ? ['   Nothing was promoted or rolled back.'] : decisions.map(sentence)),
    '',
    'What this pack does not prove',
    ...missing.map(text => `   - ${text}`),
  ]
  return `${lines.join('\n')}\n`
}

function sentence(decision: PackDecision): string {
  const { log_seq, result, actor, actor_source, reason, policy_reasons, reviewed_by } = decision
  const said = [
    decisionSentence(decision as Parameters<typeof decisionSentence>[0]),
    RESULT_WORDS[result as Result],
    `by ${actor} (known by ${actor_source}): ${reason}`,
    ...(policy_reasons ? [`the policy: ${policy_reasons}`] : []),
    ...(result === 'forced' ? [reviewed_by === null ? 'not reviewed' : `reviewed by ${reviewed_by}`] : []),
  ].join('; ')
  return `   [${log_seq}] ${safe(said)}`
}

const ALWAYS_MISSING = [
  'That the recorded facts are true, or that names belong to people.',
  'Actions around the service: by those who can write to its database, host or configuration, and by local commands, which need no token.',
  'The run events themselves: decisions have their sums, and the log has hashes of their hours.',
  "That everybody saw the same log: compare the checkpoint with somebody else's.",
  'Changes after the checkpoint.',
]
