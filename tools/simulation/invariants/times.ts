import { durationMs, isoTime } from '../../../src/base/time.ts'
import type { LogRecord } from '../../../src/ledger/trail/chain.ts'
import type { WorkspaceConfig } from '../../../src/models/documents/workspace.ts'
import { type Conditions, freezesOf, promotedFrom } from '../../../src/features/conditions/rules.ts'
import type { Row } from '../../../src/sql/port.ts'
import type { Decision } from './trail.ts'
import { deedOf, holds } from './invariant.ts'

export interface TimeOptions {
  readonly workspace: WorkspaceConfig
  /** Whether the servers have no clock but the database's. */
  readonly sharesClock: boolean
  /** The database's clock, epoch ms. */
  readonly now: () => number
}

/** What the database's clock said at least and at most in some time. */
interface Period {
  readonly low: number
  readonly high: number
  /** The latest time of an entry of the log at the beginning. */
  readonly latest: number
  /** Whether somebody set a clock meanwhile. */
  readonly isStirred: boolean
}

/** When something began: what the clock said, the latest time in the log, and how often clocks had been set. */
interface Beginning {
  readonly at: number
  readonly latest: number
  readonly turns: number
  readonly stirs: number
}

/** A release took a place at some moment of a period. */
interface Move extends Period {
  readonly release_id: string
}

const [MOST_APART_MS, SLEWED_MS] = [600_000, 1000]

/**
 * Follows what time decides, by a clock of its own: that of the database at the beginning and at the commit of each deed.
 * Nothing of what servers note is believed.
 */
export class Times {
  readonly #options: TimeOptions
  /** Each time that the database's clock was set back: from what to what. */
  readonly #turns: { readonly from: number; readonly to: number }[] = []
  readonly #begun = new Map<number, Beginning>()
  readonly #moves = new Map<string, Move[]>()
  #stirs = 0
  #most = 0
  #latest = 0

  constructor(options: TimeOptions) {
    this.#options = options
  }

  begun(deed: number): void {
    const [at, turns] = [this.#options.now(), this.#turns.length]
    this.#begun.set(deed, { at, turns, stirs: this.#stirs, latest: this.#latest })
  }

  /** A clock was set; `from` and `to` are what the database's said. */
  stirred(from: number, to: number): void {
    this.#stirs += 1
    this.#most = Math.max(this.#most, from)
    if (to < from) this.#turns.push({ from, to })
  }

  /** What the clock said since a deed was begun. */
  #since(deed: number | undefined): Period | undefined {
    const begun = deed === undefined ? undefined : this.#begun.get(deed)
    if (begun === undefined) return undefined
    const turns = this.#turns.slice(begun.turns)
    const now = this.#options.now()
    return {
      low: Math.min(begun.at, now, ...turns.map(({ to }) => to)),
      high: Math.max(begun.at, now, ...turns.map(({ from }) => from)),
      latest: begun.latest,
      isStirred: this.#stirs > begun.stirs,
    }
  }

  /** After a commit that added entries to the log, and decisions. */
  follow(entries: readonly LogRecord[], decisions: readonly Decision[]): void {
    const byId = new Map(decisions.map(decision => [decision.record.action_id, decision]))
    for (const { kind, subject, created_at } of entries) {
      if (kind === 'decision') this.#decided(byId.get(subject)!)
      this.#latest = Math.max(this.#latest, created_at)
    }
  }

  #decided({ record }: Decision): void {
    const { action_id, action, agent_id, environment, release_id, decided_at = Number.NaN } = record
    const period = this.#since(deedOf(record.reason)) ?? {
      low: decided_at,
      high: decided_at,
      latest: 0,
      isStirred: true,
    }
    holds(
      'time is that of the database',
      decided_at >= period.low && decided_at <= period.high,
      () => `${action_id} was decided at ${decided_at}, not between ${period.low} and ${period.high}`,
    )
    if (action === 'promote') this.#requireGates(record, period)
    const isMoved = record.policy_passed || record.forced === true
    if (!isMoved || record.baseline_release_id === release_id) return
    const place = `${agent_id} ${environment}`
    this.#moves.set(place, [...(this.#moves.get(place) ?? []), { ...period, release_id }])
  }

  #requireGates(record: Decision['record'], period: Period): void {
    const { action_id, agent_id, environment, release_id, policy_passed, policy_reasons, evidence } = record
    const { workspace, sharesClock } = this.#options
    const [freezes, from] = [freezesOf(workspace, environment), promotedFrom(workspace, environment)]
    if (freezes.length === 0 && from === undefined) return
    const { clock } = (evidence.gates ?? {}) as Conditions
    const { at: said, doubt } = clock ?? { at: evidence.evaluated_at }
    const at = Date.parse(said)
    holds(
      'time is that of the database',
      at >= period.low && at <= period.high,
      () => `the gates of ${action_id} are of ${said}, not between ${period.low} and ${period.high}`,
    )
    const isFrozen = freezes.some(one => at >= Date.parse(one.from) && at < Date.parse(one.to))
    const isFrozenReason = policy_reasons.some(reason => reason.endsWith('(freeze)'))
    const mayBeFrozen = doubt === undefined ? isFrozen : freezes.length > 0
    holds(
      'a frozen place takes no promotion, and another one is not frozen',
      isFrozenReason === mayBeFrozen && !(isFrozenReason && policy_passed),
      () => `${action_id} at ${said}: ${policy_reasons.join('; ')}`,
    )
    if (from !== undefined) {
      const requiredMs = durationMs(from.live_for!)!
      const { least, most } = this.#lived(`${agent_id} ${from.environment}`, release_id, period)
      const isShort = policy_reasons.some(reason => reason.endsWith('(promotes_from)'))
      holds(
        'what is promoted was live for as long as is asked',
        isShort ? doubt !== undefined || least < requiredMs : doubt === undefined && most >= requiredMs,
        () => `${action_id} asks for ${requiredMs} ms of ${least} to ${most}: ${policy_reasons.join('; ')}`,
      )
    }
    const apart = Math.abs(Date.parse(evidence.evaluated_at) - at)
    holds(
      'a clock that is wrong decides nothing',
      sharesClock
        ? doubt !== undefined || at >= period.latest - SLEWED_MS
        : doubt === undefined && (period.isStirred || apart <= MOST_APART_MS + period.high - period.low),
      () => `${action_id} at ${said}: ${apart} ms apart, the newest entry is of ${isoTime(period.latest)}`,
    )
  }

  /** How long a release was in a place without a break, at least and at most; negative where it never was. */
  #lived(place: string, release: string, now: Period): { least: number; most: number } {
    const moves = this.#moves.get(place) ?? []
    let [least, most] = [-1, -1]
    for (const [index, move] of moves.entries()) {
      if (move.release_id !== release) continue
      const end = moves[index + 1] ?? now
      least = Math.max(least, end.low - move.high)
      most = Math.max(most, end.high - move.low, 0)
    }
    return { least, most }
  }

  /** A request that came to its end. */
  settled({ request_id, status, resolution, expires_at, resolution_reason }: Row): void {
    const end = Number(expires_at)
    const period = this.#since(deedOf(String(resolution_reason)))
    holds(
      'a request ends when it says',
      status !== 'completed' || period === undefined || period.low < end,
      () => `${request_id} ended at ${end}, and was confirmed from ${period!.low} on`,
    )
    holds(
      'a request ends when it says',
      resolution !== 'expired' || Math.max(this.#most, this.#options.now()) >= end,
      () => `${request_id} expired before ${end}`,
    )
  }
}
