import { shareText } from '../../base/text.ts'
import { isoTime } from '../../base/time.ts'
import {
  type Answer,
  type PackEntry,
  listOf,
  missingOf,
  placeText,
  seqText,
  unvouched,
  where,
  word,
} from './rules_pack_entry.ts'
import type { DecisionEvidence } from './rules_pack_evidence.ts'

interface Rollouts {
  readonly size: number
  readonly span: readonly PackEntry[]
  readonly earlier: readonly PackEntry[]
  readonly evidence: ReadonlyMap<number, DecisionEvidence>
}

/** Each rollout by its entries: who began it and why, each change of it, and what ended it. */
export function rolledOut({ size, span, earlier, evidence }: Rollouts): Answer {
  const all = [...earlier, ...span]
  const requests = all.filter(({ kind }) => REQUESTING.test(kind))
  const histories = historiesOf(all)
  const refused = all.filter(({ kind }) => kind === 'rollout.refused')
  const starts = all.filter(({ kind }) => kind === STARTED)
  const startless = [...histories].filter(([id, [first]]) => !begins(first!, id)).map(([id]) => id)
  return {
    question: 'Which users got which release by rollouts, who began these, and who stopped them?',
    found: [
      ...[...histories].flatMap(([id, entries]) => historyText({ id, entries, requests, evidence, size })),
      ...refused.map(refusedText),
    ],
    none: 'No entry is of a rollout.',
    missing: [
      ...(histories.size === 0
        ? []
        : [
            'which users these were, and that programs followed the split: entries say the share of the users',
          ]),
      ...missingOf(
        'that anybody approved these before users got the candidate',
        starts.filter(start => approvalsOf(start, requests).length === 0),
      ),
      ...missingOf(
        'which steps were planned for these, which an older version wrote',
        starts.filter(({ details }) => details.steps === undefined),
      ),
      ...(startless.length === 0 ? [] : [`who began these rollouts: ${startless.join(', ')}`]),
      ...unvouched(all.filter(entry => entry.kind !== 'decision' && rolloutsOf(entry).length > 0)),
    ],
  }
}

const STARTED = 'rollout.started'

/** Entries whose subject is a request for a rollout. */
export const REQUESTING = /^rollout\.(?:requested|approved|rejected)$/

/** Entries whose subject is a rollout. */
const CHANGING = /^rollout\.(?:started|advanced|paused|resumed|aborted|completed|expired)$/

/** The rollouts that an entry changes: its own, and others that end by it, whose rows it binds. */
export function rolloutsOf({ kind, subject, details }: PackEntry): string[] {
  const { rollouts } = (details.holds ?? {}) as { readonly rollouts?: Readonly<Record<string, unknown>> }
  const bound = Object.keys(rollouts ?? {})
  if (kind === 'decision') return bound
  return CHANGING.test(kind) ? [...new Set([subject, ...bound])] : []
}

export function begins({ kind, subject }: PackEntry, id: string): boolean {
  return kind === STARTED && subject === id
}

/** Whether a start carries out the request that the entry before it approves: both are written in one batch. */
export function carriesOut(start: PackEntry, { kind, log_seq, details }: PackEntry): boolean {
  return kind === 'rollout.approved' && details.status === 'completed' && log_seq === start.log_seq - 1
}

/** The approvals that a rollout began by, in their order. */
function approvalsOf(start: PackEntry, requests: readonly PackEntry[]): PackEntry[] {
  const last = requests.find(entry => carriesOut(start, entry))
  return requests.filter(({ kind, subject }) => kind === 'rollout.approved' && subject === last?.subject)
}

function historiesOf(entries: readonly PackEntry[]): Map<string, PackEntry[]> {
  const histories = new Map<string, PackEntry[]>()
  for (const entry of entries) {
    for (const id of rolloutsOf(entry)) histories.set(id, [...(histories.get(id) ?? []), entry])
  }
  return histories
}

/** A rollout with its entries, oldest first, and what they are read with. */
interface History {
  readonly id: string
  readonly entries: readonly PackEntry[]
  readonly requests: readonly PackEntry[]
  readonly evidence: ReadonlyMap<number, DecisionEvidence>
  readonly size: number
}

/** A sentence per entry, and one more where none of them ends the rollout. */
function historyText(history: History): string[] {
  const { id, entries, size } = history
  const last = entries.at(-1)!
  return [
    ...entries.map((entry, index) => `${where(entry)} ${changeText(history, index)}`),
    ...(isOpenAfter(last)
      ? [`${seqText(last.log_seq)} is the newest entry of ${id} up to [${size}]: it is open there`]
      : []),
  ]
}

/** Whether a rollout is open once this entry of it is written: a decision that is blocked pauses it. */
export function isOpenAfter({
  kind,
  details: { policy_passed: isPassed, forced: isForced, state },
}: PackEntry): boolean {
  if (kind === 'decision') return isPassed !== true && isForced !== true
  return state === 'running' || state === 'paused'
}

function changeText(history: History, index: number): string {
  const { id, entries, requests } = history
  const entry = entries[index]!
  if (entry.kind === 'decision') return decisionText(history, index)
  const [who, reason] = [actorText(entry), reasonText(entry)]
  if (begins(entry, id)) return `${who} began ${startText(entry, requests)}${reason}`
  if (entry.kind === STARTED)
    return `${who} began ${entry.subject}, which ended what ${id} kept on its baseline`
  return `${who} ${CHANGES[entry.kind]?.(entry) ?? `changed ${id} (${entry.kind})`}${reason}`
}

/** Changes in words, by the kind of their entry. */
const CHANGES: Readonly<Record<string, (entry: PackEntry) => string>> = {
  'rollout.advanced': entry => `took ${entry.subject} to ${stepText(entry)}`,
  'rollout.paused': entry => `paused ${entry.subject} at ${stepText(entry)}`,
  'rollout.resumed': entry => `resumed ${entry.subject} at ${stepText(entry)}`,
  'rollout.aborted': entry => abortText(entry),
  'rollout.expired': entry => `ended ${entry.subject}, which had expired: ${allBackText(entry)}`,
}

/** The service ends one as aborted also where another release is live; completed before, it ends what was kept back. */
function abortText(entry: PackEntry): string {
  const { subject, details } = entry
  if (details.state === 'completed') {
    return `ended what ${subject} kept on ${word(details.baseline_release_id)}: all get ${word(details.candidate_release_id)}`
  }
  return details.state === 'superseded'
    ? `ended ${subject} as superseded`
    : `aborted ${subject}: ${allBackText(entry)}`
}

function allBackText({ details: { baseline_release_id: baseline } }: PackEntry): string {
  return `all get ${word(baseline)} again`
}

function startText(entry: PackEntry, requests: readonly PackEntry[]): string {
  const { subject, details } = entry
  const { agent_id, environment, candidate_release_id: candidate, baseline_release_id: baseline } = details
  const approvals = approvalsOf(entry, requests)
  const request = requests.find(
    ({ kind, subject: id }) => kind === 'rollout.requested' && id === approvals[0]?.subject,
  )
  return [
    `${subject}: ${word(candidate)} beside ${word(baseline)} of ${word(agent_id)} in ${word(environment)}, ${splitText(entry)}`,
    ...(details.steps === undefined ? [] : [`planned ${listOf(details.steps).map(timedShare).join(', ')}`]),
    ...(details.hold == null ? [] : [`then ${timedShare(details.hold)} on ${word(baseline)}`]),
    ...(request === undefined ? [] : [`requested by ${request.actor} ${seqText(request.log_seq)}`]),
    ...(approvals.length === 0
      ? []
      : [`approved by ${approvals.map(({ actor, log_seq }) => `${actor} ${seqText(log_seq)}`).join(', ')}`]),
  ].join('; ')
}

/** A step or what is kept back, `50 % for 24h`. */
function timedShare(value: unknown): string {
  const { share, for: time } = (value ?? {}) as { readonly share?: unknown; readonly for?: unknown }
  return `${shareText(Number(share))} for ${word(time)}`
}

/** The step that a rollout is at, and the split there. */
function stepText(entry: PackEntry): string {
  return `step ${Number(entry.details.step) + 1}, ${splitText(entry)}`
}

function splitText({ details: { split, candidate_release_id: candidate } }: PackEntry): string {
  const { by, share } = (split ?? {}) as { readonly by?: unknown; readonly share?: unknown }
  return `where ${shareText(Number(share ?? 0))} of the ${word(by)}s get ${word(candidate)}`
}

/** What a decision did to a rollout: its own promotion ends or pauses it, and that of another release takes its place. */
function decisionText({ id, entries, evidence }: History, index: number): string {
  const entry = entries[index]!
  const { subject, log_seq } = entry
  const found = evidence.get(log_seq)
  if (found === undefined)
    return `${actorText(entry)} decided on ${placeText(entry)} (${subject}), which changed ${id}`
  if (found.rollout?.rollout_id !== id) {
    const hasCompleted = entries
      .slice(0, index)
      .some(before => !isOpenAfter(before) && evidence.get(before.log_seq)?.rollout?.rollout_id === id)
    const ended = hasCompleted ? `what ${id} kept on its baseline` : `${id} as superseded`
    return `${actorText(entry)} ended ${ended} by ${placeText(entry)} (${subject})${reasonText(entry)}`
  }
  const byService = `the service, in the name of ${entry.actor},`
  if (isOpenAfter(entry)) {
    return `${byService} paused ${id}, whose promotion was blocked (${subject}); reason: ${found.reasons.join('; ')}`
  }
  return `${byService} completed ${id} by ${subject}, ${placeText(entry)}: ${keptText(found.rollout, entries[0]!)}`
}

function keptText({ hold }: NonNullable<DecisionEvidence['rollout']>, { details }: PackEntry): string {
  if (hold === undefined) return 'all get it'
  const { share, until } = hold
  return `${shareText(share)} keep ${word(details.baseline_release_id)} until ${isoTime(until)}, all others get it`
}

function refusedText(entry: PackEntry): string {
  const reasons = listOf(entry.details.reasons).map(word).join('; ')
  return `${where(entry)} ${actorText(entry)} was refused a rollout of ${placeText(entry)}: ${reasons}${reasonText(entry)}`
}

function actorText({ actor, actor_source: source }: PackEntry): string {
  return source === 'service' ? `the service (${actor})` : `${actor} (known by ${source})`
}

function reasonText({ reason }: PackEntry): string {
  return reason === null ? '' : `; reason: ${reason}`
}
