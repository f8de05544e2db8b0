import { isoTime } from '../../base/time.ts'
import { safe } from '../../base/text.ts'
import type { Result } from '../../models/documents/policy.ts'
import { FORCED_REASON, resultOf } from '../../rules/result.ts'
import { RESULT_WORDS } from '../../rules/result.ts'
import {
  type Answer,
  type PackEntry,
  listOf,
  missingOf,
  numbers,
  placeText,
  seqText,
  unvouched,
  where,
  word,
} from './rules_pack_entry.ts'
import type { DecisionEvidence } from './rules_pack_evidence.ts'
import { rolledOut } from './rules_pack_rollouts.ts'

/** What a pack says besides its entries. */
export interface PackFacts {
  readonly origin: string
  readonly size: number
  readonly since: string
  /** When the checkpoint was made. */
  readonly until: string
  readonly isSigned: boolean
  readonly span: readonly PackEntry[]
  readonly earlier: readonly PackEntry[]
  /** What decisions rested on, by log_seq. */
  readonly evidence: ReadonlyMap<number, DecisionEvidence>
  /** log_seq of entries whose row the ledger has no more, or that has another hash. */
  readonly factless: readonly number[]
}

/** The text of a pack: questions, what the entries say to each, and what nothing of it proves. */
export function packText(facts: PackFacts): string {
  const { origin, size, since, until, span, earlier } = facts
  const first = span[0]!.log_seq
  const answers = [
    mayPromote(facts),
    didPromote(facts),
    rested(facts),
    approved(facts),
    rolledOut(facts),
    forced(facts),
    rules(facts),
    whole(facts),
  ]
  const lines = [
    `Audit pack of ${origin}`,
    `From ${since} to ${until}: entries ${first} to ${size} of ${size}, and ${earlier.length} earlier ones that they rest on.`,
    '',
    'entries.jsonl has each entry that is named here, with the proof that it is in the log. To check that, without this program:',
    '    python3 verify.py entries.jsonl        or open verify.html, and give it entries.jsonl',
    'These words are a reading of the entries; only the entries carry proofs. With the ledger, `svc audit explain act_…`',
    'decides an action again, limit by limit.',
    ...answers.flatMap(({ question, found, none, missing }, index) => [
      '',
      `${index + 1}. ${question}`,
      ...(found.length === 0 ? [`   ${none}`] : found.map(text => `   - ${safe(text)}`)),
      ...missing.map(text => `   NOT EVIDENCED: ${safe(text)}`),
    ]),
    '',
    'What nothing of this pack evidences',
    ...ALWAYS_MISSING.map(text => `   - ${text}`),
  ]
  return `${lines.join('\n')}\n`
}

const ALWAYS_MISSING = [
  'That what was recorded is true, or that names are those of people.',
  'What was done around the service: who could write to its database, its host or its configuration, and local commands, which need no token.',
  'The run events themselves: decisions have their sums, and the log has hashes of their hours.',
  'That no other log was shown to others: compare the checkpoint with one that somebody else has kept.',
  'What came after the checkpoint.',
]

function mayPromote({ span, earlier }: PackFacts): Answer {
  const isGrant = ({ kind, details: { role } }: PackEntry): boolean =>
    (/^(?:token\.(?:made|rotated)|session\.opened)$/.test(kind) && (role === 'write' || role === 'admin')) ||
    kind === 'token.revoked' ||
    kind === 'server.started'
  const found = [...earlier, ...span].filter(isGrant).map(entry => {
    const { kind, details, subject, actor } = entry
    const reach = [
      details.role,
      ...(details.agents == null ? [] : [`agents ${listOf(details.agents).join(', ')}`]),
      ...(details.environments == null ? [] : [`environments ${listOf(details.environments).join(', ')}`]),
      ...(typeof details.expires_at === 'number' ? [`until ${isoTime(details.expires_at)}`] : []),
    ].join('; ')
    if (kind === 'server.started') return `${where(entry)} the service ran with ${settingsText(details)}`
    if (kind === 'token.revoked') return `${where(entry)} ${actor} ended token ${word(details.name)}`
    if (kind === 'session.opened') return `${where(entry)} ${actor} signed in (${reach})`
    return `${where(entry)} ${actor} made token ${word(details.name ?? subject)} (${reach})`
  })
  return {
    question: 'Who may promote?',
    found,
    none: 'No token or session that may promote is in the entries.',
    missing: [
      'roles that an identity provider gives without a sign-in in this time, and tokens that the environment of the server sets.',
    ],
  }
}

/** The settings of a server that are set, without those of comparisons: they say nothing of who may promote. */
function settingsText(details: PackEntry['details']): string {
  return Object.entries(details)
    .filter(([name, value]) => value !== null && name !== 'diff')
    .map(([name, value]) => `${name} ${word(value)}`)
    .join(', ')
}

function decisionsOf({ span }: PackFacts): PackEntry[] {
  return span.filter(({ kind }) => kind === 'decision')
}

/** How a decision came out: by the reasons of its record, and without one by its entry alone. */
function resultIn(
  { evidence }: PackFacts,
  { log_seq, details: { forced: isForced, policy_passed } }: PackEntry,
): Result {
  const reasons = evidence.get(log_seq)?.reasons ?? (isForced === true ? [FORCED_REASON] : [])
  return resultOf({ passed: policy_passed === true, reasons })
}

function didPromote(facts: PackFacts): Answer {
  const decisions = decisionsOf(facts)
  return {
    question: 'Who did, and how did it come out?',
    found: decisions.map(
      entry =>
        `${where(entry)} ${entry.actor} (known by ${entry.actor_source}): ${placeText(entry)}, ${RESULT_WORDS[resultIn(facts, entry)]} (${entry.subject}); reason: ${entry.reason}`,
    ),
    none: 'Nothing was promoted or rolled back.',
    missing: unvouched(decisions),
  }
}

function rested(facts: PackFacts): Answer {
  const decisions = decisionsOf(facts)
  const without = decisions.filter(({ log_seq }) => !facts.evidence.has(log_seq))
  const registered = [...facts.earlier, ...facts.span].filter(({ kind }) => kind === 'release.registered')
  return {
    question: 'On what evidence?',
    found: [
      ...decisions.map(entry => `${where(entry)} ${facts.evidence.get(entry.log_seq)?.words ?? 'no record'}`),
      ...registered.map(entry => `${where(entry)} ${entry.actor} registered ${entry.subject}`),
    ],
    none: 'Nothing was decided.',
    missing: [
      ...missingOf('what these decisions rested on', without),
      ...(facts.factless.length === 0
        ? []
        : [
            `the rows that these entries are about, which the ledger lacks: ${facts.factless.map(seqText).join(', ')}`,
          ]),
    ],
  }
}

function approved(facts: PackFacts): Answer {
  const steps = [...facts.earlier, ...facts.span].filter(({ kind }) =>
    /^(?:request|rollout)\.(?:made|requested|approved|rejected|cancelled|expired)$|^surface\.acknowledged$/.test(
      kind,
    ),
  )
  const requesters = new Map(
    steps.filter(({ kind }) => /made|requested/.test(kind)).map(({ subject, actor }) => [subject, actor]),
  )
  const alone = steps.filter(
    ({ kind, subject, actor }) => kind.endsWith('.approved') && requesters.get(subject) === actor,
  )
  const approvedIds = new Set<string | undefined>(
    steps.filter(({ kind }) => kind.endsWith('.approved')).map(({ subject }) => subject),
  )
  const passed = decisionsOf(facts).filter(({ details }) => details.policy_passed === true)
  const unapproved = passed.filter(({ log_seq }) => !approvedIds.has(facts.evidence.get(log_seq)?.request_id))
  const unseen = passed.filter(
    entry => !unapproved.includes(entry) && facts.evidence.get(entry.log_seq)?.rollout !== undefined,
  )
  return {
    question: 'Who approved?',
    found: steps.map(
      entry =>
        `${where(entry)} ${entry.actor}: ${entry.kind} ${entry.subject}, ${placeText(entry)}; reason: ${entry.reason}`,
    ),
    none: 'No entry is of an approval.',
    missing: [
      ...missingOf('that anybody approved these, which passed', unapproved),
      ...missingOf(
        'that who approved these had seen what they rested on, since a rollout is approved before it begins',
        unseen,
      ),
      ...missingOf('that two people took part in these, which one name requested and approved', alone),
    ],
  }
}

function forced(facts: PackFacts): Answer {
  const all = [...facts.earlier, ...facts.span]
  const actions = all.filter(entry => entry.kind === 'decision' && entry.details.forced === true)
  const reviewsOf = (action: PackEntry): PackEntry[] =>
    facts.span.filter(
      ({ kind, details }) => kind === 'action.reviewed' && details.action_id === action.subject,
    )
  const unreviewed = actions.filter(action => reviewsOf(action).length === 0)
  const byItself = actions
    .flatMap(action => reviewsOf(action).map(review => ({ action, review })))
    .filter(({ action, review }) => action.actor === review.actor)
  return {
    question: 'What was forced, and who looked at it afterwards?',
    found: actions.flatMap(action => [
      `${where(action)} ${action.actor} forced ${placeText(action)}; reason: ${action.reason}`,
      ...reviewsOf(action).map(review => `${where(review)} ${review.actor} reviewed that: ${review.reason}`),
    ]),
    none: 'Nothing was forced.',
    missing: [
      ...missingOf('that anybody reviewed these (svc audit review)', unreviewed),
      ...(byItself.length === 0
        ? []
        : [`that another one than who forced it reviewed: ${numbers(byItself.map(({ review }) => review))}`]),
    ],
  }
}

function rules(facts: PackFacts): Answer {
  const kinds = new Set(['policy.set', 'prices.import', 'retirement.set'])
  return {
    question: 'Which changes of policy and prices?',
    found: [...facts.earlier, ...facts.span]
      .filter(({ kind }) => kinds.has(kind))
      .map(entry => {
        const { provider, pricing_version, policy_id, model, retires_on } = entry.details
        const what =
          entry.kind === 'policy.set'
            ? `policy ${word(policy_id)}`
            : entry.kind === 'prices.import'
              ? `prices ${word(provider)}/${word(pricing_version)}`
              : `end of ${word(provider)}/${word(model)}: ${word(retires_on)}`
        const when = entry.created_at < facts.span[0]!.created_at ? ', in force at the start' : ''
        return `${where(entry)} ${entry.actor} set ${what}${when}; reason: ${entry.reason ?? 'none given'}`
      }),
    none: 'Neither was changed, and no policy was set before.',
    missing: [],
  }
}

function whole(facts: PackFacts): Answer {
  const { size, span, isSigned } = facts
  const taken = span.filter(({ kind }) => kind === 'taken_up' || kind === 'rows.taken_up')
  const clocks = span.filter(({ kind }) => kind === 'clock.accepted')
  return {
    question: 'Is the log whole?',
    found: [
      `all ${size} entries were read when the pack was made: each has its hash, follows the one before, and together they have the root of the checkpoint`,
      `entries ${span[0]!.log_seq} to ${size} are here without a gap`,
    ],
    none: '',
    missing: [
      ...(isSigned
        ? []
        : ['who made the checkpoint, because it is not signed (--sign KEY, or SERVICE_SIGNING_KEY)']),
      ...missingOf('what was written before the log held it, and was taken up later', taken),
      ...missingOf('times around these, where somebody set the clock right', clocks),
    ],
  }
}
