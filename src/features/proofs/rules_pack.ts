import { isoTime } from '../../base/time.ts'
import { jsonOf, safe } from '../../base/text.ts'

/** An entry of the audit log, as far as a pack reads it (docs/audit-format.md). */
export interface PackEntry {
  readonly log_seq: number
  readonly kind: string
  readonly subject: string
  readonly actor: string
  readonly actor_source: string
  readonly reason: string | null
  /** Epoch ms. */
  readonly created_at: number
  readonly fact: string | null
  readonly details: Readonly<Record<string, unknown>>
}

/**
 * Chooses the entries of a pack as the log is read from its start: all from the first one on that is not before `since`,
 * and of those before it what was still in force then, and what the later ones are about.
 */
export class PackChoice {
  readonly #since: number
  readonly #before = new Map<string, PackEntry>()
  readonly #span: PackEntry[] = []

  /** `since` is epoch ms. */
  constructor(since: number) {
    this.#since = since
  }

  /** Entries of the span; without a gap, whatever the clock did later. */
  get span(): readonly PackEntry[] {
    return this.#span
  }

  add(entry: PackEntry): void {
    if (this.#span.length > 0 || entry.created_at >= this.#since) this.#span.push(entry)
    else this.#keep(entry)
  }

  /** Entries of before the span that belong in the pack, in their order. */
  earlier(): PackEntry[] {
    const named = new Set(this.#span.flatMap(({ subject, details }) => [subject, ...idsOf(details)]))
    return [...this.#before.values()]
      .filter(
        entry =>
          (IN_FORCE.has(entry.kind) && !hasEnded(entry, this.#since)) ||
          (NAMED.has(entry.kind) && named.has(entry.subject)),
      )
      .sort((a, b) => a.log_seq - b.log_seq)
  }

  #keep(entry: PackEntry): void {
    const { kind, subject, details } = entry
    if (kind === 'policy.set' || kind === 'server.started') this.#before.set(kind, entry)
    else if (IN_FORCE.has(kind) || NAMED.has(kind)) this.#before.set(subject, entry)
    else if (kind === 'session.ended') this.#before.delete(subject)
    else if (kind === 'token.revoked') {
      for (const id of listOf(details.tokens)) this.#before.delete(word(id))
    }
  }
}

/** Kinds of entries that are about a row. */
export const FACT_KINDS: ReadonlySet<string> = new Set([
  'decision',
  'policy.set',
  'prices.import',
  'release.registered',
])

/** What holds until something else is said. */
const IN_FORCE = new Set(['policy.set', 'server.started', 'token.made', 'token.rotated', 'session.opened'])
/** What later entries are about. */
const NAMED = new Set(['release.registered', 'decision', 'request.made', 'rollout.requested'])

function idsOf({ release_id, action_id }: PackEntry['details']): string[] {
  return [release_id, action_id].filter(value => typeof value === 'string')
}

function hasEnded({ details: { expires_at: at } }: PackEntry, now: number): boolean {
  return typeof at === 'number' && at <= now
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

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

interface Answer {
  readonly question: string
  /** A sentence each, which names the entries that it rests on. */
  readonly found: readonly string[]
  /** Said where nothing was found. */
  readonly none: string
  readonly missing: readonly string[]
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

function outcomeOf({ details: { forced: isForced, policy_passed: isPassed } }: PackEntry): string {
  return isForced === true ? 'forced' : isPassed === true ? 'passed' : 'blocked'
}

function didPromote(facts: PackFacts): Answer {
  const decisions = decisionsOf(facts)
  const claimed = decisions.filter(({ actor_source: source }) => !PROVEN.has(source))
  return {
    question: 'Who did, and how did it come out?',
    found: decisions.map(
      entry =>
        `${where(entry)} ${entry.actor} (known by ${entry.actor_source}): ${placeText(entry)}, ${outcomeOf(entry)} (${entry.subject}); reason: ${entry.reason}`,
    ),
    none: 'Nothing was promoted or rolled back.',
    missing:
      claimed.length === 0
        ? []
        : [
            `that these actors are who they say, because no token or identity provider vouches: ${numbers(claimed)}`,
          ],
  }
}

/** How an actor is known where somebody else vouches for it. */
const PROVEN = new Set(['token', 'oidc', 'service'])

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
      ...(without.length === 0 ? [] : [`what these decisions rested on: ${numbers(without)}`]),
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
  const passed = decisionsOf(facts).filter(entry => outcomeOf(entry) === 'passed')
  const unapproved = passed.filter(({ log_seq }) => !approvedIds.has(facts.evidence.get(log_seq)?.request_id))
  const unseen = passed.filter(
    entry => !unapproved.includes(entry) && facts.evidence.get(entry.log_seq)?.is_of_rollout === true,
  )
  return {
    question: 'Who approved?',
    found: steps.map(
      entry =>
        `${where(entry)} ${entry.actor}: ${entry.kind} ${entry.subject}, ${placeText(entry)}; reason: ${entry.reason}`,
    ),
    none: 'No entry is of an approval.',
    missing: [
      ...(unapproved.length === 0
        ? []
        : [`that anybody approved these, which passed: ${numbers(unapproved)}`]),
      ...(unseen.length === 0
        ? []
        : [
            `that who approved these had seen what they rested on, since a rollout is approved before it begins: ${numbers(unseen)}`,
          ]),
      ...(alone.length === 0
        ? []
        : [`that two people took part in these, which one name requested and approved: ${numbers(alone)}`]),
    ],
  }
}

function forced(facts: PackFacts): Answer {
  const all = [...facts.earlier, ...facts.span]
  const actions = all.filter(entry => entry.kind === 'decision' && outcomeOf(entry) === 'forced')
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
      ...(unreviewed.length === 0
        ? []
        : [`that anybody reviewed these (svc audit review): ${numbers(unreviewed)}`]),
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
      ...(taken.length === 0
        ? []
        : [`what was written before the log held it, and was taken up later: ${numbers(taken)}`]),
      ...(clocks.length === 0
        ? []
        : [`times around these, where somebody set the clock right: ${numbers(clocks)}`]),
    ],
  }
}

function where({ log_seq, created_at }: PackEntry): string {
  return `${seqText(log_seq)} ${isoTime(created_at)}`
}

function seqText(seq: number): string {
  return `[${seq}]`
}

function numbers(entries: readonly PackEntry[]): string {
  return entries.map(({ log_seq }) => seqText(log_seq)).join(', ')
}

function placeText({ details }: PackEntry): string {
  const { action, agent_id, environment, release_id, candidate_release_id: candidate } = details
  return `${action === undefined ? '' : `${word(action)} `}${word(release_id ?? candidate)} of ${word(agent_id)} in ${word(environment)}`
}

export interface DecisionEvidence {
  readonly words: string
  /** The request that it carried out. */
  readonly request_id: string | undefined
  /** Whether it ended a rollout, whose request was confirmed before its candidate had run. */
  readonly is_of_rollout: boolean
}

/** What a decision rested on, by its record; undefined for other text. */
export function evidenceOf(record: string): DecisionEvidence | undefined {
  const { evidence, policy_reasons: reasons } = (jsonOf(record) ?? {}) as {
    readonly evidence?: EvidenceRead | null
    readonly policy_reasons?: readonly string[]
  }
  if (evidence == null) return undefined
  const { window, evaluation, policy, request, watch, rollout } = evidence
  const compared =
    evaluation == null
      ? 'nothing was compared'
      : `${evaluation.baseline?.release_id} with ${runsOf(evaluation.baseline)} runs against ` +
        `${evaluation.candidate?.release_id} with ${runsOf(evaluation.candidate)}, confidence ${evaluation.confidence}`
  const words = [
    `window ${window?.text} (${window?.since} to ${window?.until})`,
    compared,
    `policy ${policy?.policy_id}`,
    ...(request == null ? [] : [`request ${request.request_id} of ${request.requested_by}`]),
    ...(watch == null ? [] : [`watch ${watch.watch_id}`]),
    ...(rollout == null ? [] : [`rollout ${rollout.rollout_id}`]),
    ...(reasons ?? []),
  ].join('; ')
  return { words, request_id: request?.request_id, is_of_rollout: rollout != null }
}

interface SideRead {
  readonly release_id: string
  readonly variants: readonly { readonly runs: number }[]
}

/** What of evidence a pack says; of older decisions parts may be missing. */
interface EvidenceRead {
  readonly window?: { readonly text: string; readonly since: string; readonly until: string }
  readonly evaluation?: {
    readonly baseline?: SideRead
    readonly candidate?: SideRead
    readonly confidence: string
  } | null
  readonly policy?: { readonly policy_id: string }
  readonly request?: { readonly request_id: string; readonly requested_by: string } | null
  readonly watch?: { readonly watch_id: string }
  readonly rollout?: { readonly rollout_id: string }
}

function runsOf(side: SideRead | undefined): number {
  return side?.variants.reduce((sum, { runs }) => sum + runs, 0) ?? 0
}

/** A value of details as text; they may hold anything. */
function word(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
