import { durationMs } from '../../base/time.ts'
import { type PackEntry, listOf, word } from './rules_pack_entry.ts'
import { REQUESTING, begins, carriesOut, isOpenAfter, rolloutsOf } from './rules_pack_rollouts.ts'

/**
 * Chooses the entries of a pack as the log is read from its start: all from the first one on that is not before `since`,
 * and of those before it what was still in force then, and what the later ones are about.
 */
export class PackChoice {
  readonly #since: number
  readonly #before = new Map<string, PackEntry>()
  readonly #rollouts = new RolloutsBefore()
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
    const rollouts = this.#rollouts.chosen(this.#span, this.#since)
    const later = [...rollouts, ...this.#span]
    const named = new Set(later.flatMap(({ subject, details }) => [subject, ...idsOf(details)]))
    const others = [...this.#before.values()].filter(
      entry =>
        (IN_FORCE.has(entry.kind) && !hasEnded(entry, this.#since)) ||
        (NAMED.has(entry.kind) && named.has(entry.subject)),
    )
    return [...new Set([...rollouts, ...others])].sort((a, b) => a.log_seq - b.log_seq)
  }

  #keep(entry: PackEntry): void {
    const { kind, subject, details } = entry
    this.#rollouts.add(entry)
    if (kind === 'policy.set' || kind === 'server.started') this.#before.set(kind, entry)
    else if (IN_FORCE.has(kind) || NAMED.has(kind)) this.#before.set(subject, entry)
    else if (kind === 'session.ended') this.#before.delete(subject)
    else if (kind === 'token.revoked') {
      for (const id of listOf(details.tokens)) this.#before.delete(word(id))
    }
  }
}

/** What holds until something else is said. */
const IN_FORCE = new Set(['policy.set', 'server.started', 'token.made', 'token.rotated', 'session.opened'])
/** What later entries are about. */
const NAMED = new Set(['release.registered', 'decision', 'request.made'])

function idsOf(details: PackEntry['details']): string[] {
  const { release_id, action_id, candidate_release_id: candidate, baseline_release_id: baseline } = details
  return [release_id, action_id, candidate, baseline].filter(value => typeof value === 'string')
}

function hasEnded({ details: { expires_at: at } }: PackEntry, now: number): boolean {
  return typeof at === 'number' && at <= now
}

/** What a rollout began by, and the newest entry that changed it: the split that was in force at the start of the span. */
interface RolloutBefore {
  readonly beginning: readonly PackEntry[]
  readonly newest: PackEntry
}

/** The rollouts of before the span, and requests for some that nobody had settled yet. */
class RolloutsBefore {
  readonly #requests = new Map<string, PackEntry[]>()
  readonly #begun = new Map<string, RolloutBefore>()
  #previous: PackEntry | undefined

  add(entry: PackEntry): void {
    const { kind, subject } = entry
    if (kind === 'rollout.rejected' || kind === 'request.expired') this.#requests.delete(subject)
    else if (REQUESTING.test(kind))
      this.#requests.set(subject, [...(this.#requests.get(subject) ?? []), entry])
    for (const id of rolloutsOf(entry)) this.#change(id, entry)
    this.#previous = entry
  }

  /** Those that were in force at `since` (epoch ms), and what the span is about. */
  chosen(span: readonly PackEntry[], since: number): PackEntry[] {
    const named = new Set(span.flatMap(entry => [entry.subject, ...rolloutsOf(entry)]))
    const begun = [...this.#begun].filter(([id, rollout]) => named.has(id) || isInForce(rollout, since))
    const pending = [...this.#requests].filter(([id]) => named.has(id))
    return [
      ...new Set([
        ...pending.flatMap(([, entries]) => entries),
        ...begun.flatMap(([, { beginning, newest }]) => [...beginning, newest]),
      ]),
    ]
  }

  #change(id: string, entry: PackEntry): void {
    const beginning = begins(entry, id)
      ? [...this.#settled(entry), entry]
      : (this.#begun.get(id)?.beginning ?? [])
    this.#begun.set(id, { beginning, newest: entry })
  }

  /** Takes the entries of the request that a start carries out. */
  #settled(start: PackEntry): readonly PackEntry[] {
    if (this.#previous === undefined || !carriesOut(start, this.#previous)) return []
    const { subject } = this.#previous
    const entries = this.#requests.get(subject) ?? []
    this.#requests.delete(subject)
    return entries
  }
}

/** Whether users got a release by it at `since` (epoch ms): it was open, or kept some on the baseline once completed. */
function isInForce({ beginning, newest }: RolloutBefore, since: number): boolean {
  if (isOpenAfter(newest)) return true
  const hold = beginning.at(-1)?.details.hold as { readonly for?: unknown } | null | undefined
  return newest.kind === 'decision' && newest.created_at + (durationMs(word(hold?.for ?? '')) ?? 0) > since
}
