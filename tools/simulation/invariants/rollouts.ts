import type { LogRecord } from '../../../src/ledger/trail/chain.ts'
import type { Row } from '../../../src/sql/port.ts'
import type { Decision } from './trail.ts'
import { type Rows, same } from './invariant.ts'

const FOLLOWS = 'the split in force follows from the audit trail'
const STATES = 'a rollout is what the audit trail says of it'

/** How units are split somewhere. Times are epoch ms. */
interface Split {
  readonly by: unknown
  readonly share: number
  readonly until: number | null
}

/** What the trail says of a rollout. */
interface Known {
  readonly place: string
  readonly by: unknown
  state: string
  split: Split | null
  action_id: string | null
}

/** The evidence of a decision that completes a rollout, or was to. `until` is epoch ms. */
interface Completing {
  readonly rollout?: {
    readonly rollout_id: string
    readonly hold?: { readonly share: number; readonly until: number }
  }
}

/** Folds rollouts from the entries of the audit log and the decisions, and compares them with the rows. */
export class Rollouts {
  readonly #rows: Rows
  readonly #now: () => number
  readonly #known = new Map<string, Known>()

  constructor(rows: Rows, now: () => number) {
    this.#rows = rows
    this.#now = now
  }

  count(state: string): number {
    return [...this.#known.values()].filter(known => known.state === state).length
  }

  follow(entries: readonly LogRecord[], decisions: readonly Decision[]): void {
    const byId = new Map(decisions.map(decision => [decision.record.action_id, decision.record]))
    for (const { kind, subject, details, created_at } of entries) {
      if (kind === 'decision') this.#decided(byId.get(subject)!)
      else if (kind.startsWith('rollout.') && 'split' in details) {
        const { agent_id, environment, state, split } = details as {
          readonly agent_id: string
          readonly environment: string
          readonly state: unknown
          readonly split: unknown
        }
        const place = `${agent_id} ${environment}`
        // A new one takes the place of what another one holds back.
        if (kind === 'rollout.started') this.#end(place, 'superseded', created_at)
        const { by = null, action_id = null } = this.#known.get(subject) ?? {}
        const own = split as Split | null
        this.#known.set(subject, { place, by: own?.by ?? by, state: String(state), split: own, action_id })
      }
    }
  }

  #decided(record: Decision['record']): void {
    const { action_id, agent_id, environment, release_id, baseline_release_id } = record
    const { rollout } = record.evidence as Completing
    const isMoved = (record.policy_passed || record.forced === true) && release_id !== baseline_release_id
    const own = rollout && this.#known.get(rollout.rollout_id)
    if (own !== undefined) {
      own.action_id = action_id
      own.state = record.policy_passed ? 'completed' : 'paused'
      const hold = rollout!.hold
      if (record.policy_passed)
        own.split = hold === undefined ? null : { by: own.by, share: 1 - hold.share, until: hold.until }
    }
    if (isMoved) this.#end(`${agent_id} ${environment}`, 'superseded', record.decided_at!, own)
  }

  /** What goes live in a place ends what is split there. */
  #end(place: string, state: string, at: number, but?: Known): void {
    for (const known of this.#known.values()) {
      if (known.place !== place || known === but || known.split === null) continue
      if (known.state === 'completed') {
        if (known.split.until! > at) known.split = null
      } else {
        known.state = state
        known.split = null
      }
    }
  }

  /** The rows say the same. */
  check(): void {
    const now = this.#now()
    const rows = this.#rows('SELECT * FROM rollouts ORDER BY rollout_id')
    const states = rows.map(row => [row.rollout_id, row.state, row.action_id].join(' '))
    const known = Array.from(this.#known, ([id, { state, action_id }]) => [id, state, action_id].join(' '))
    same(STATES, 'the rollouts', states, known.toSorted())
    const found = rows.flatMap(row => splitText(String(row.rollout_id), splitOf(row), now))
    const expected = Array.from(this.#known, ([id, { split }]) => splitText(id, split, now)).flat()
    same(FOLLOWS, 'what is split', found, expected.toSorted())
  }
}

function splitText(id: string, split: Split | null, now: number): string[] {
  if (split === null || (split.until !== null && split.until <= now)) return []
  return [[id, split.by, split.share.toFixed(6), split.until].join(' ')]
}

/** As a pointer answers it, read again here. */
function splitOf({ state, steps_json, step, hold_json, hold_until, unit }: Row): Split | null {
  if (state === 'running' || state === 'paused') {
    const steps = JSON.parse(String(steps_json)) as { share: number }[]
    return { by: unit, share: steps[Number(step)]!.share, until: null }
  }
  if (state !== 'completed' || hold_until === null) return null
  const { share } = JSON.parse(String(hold_json)) as { share: number }
  return { by: unit, share: 1 - share, until: Number(hold_until) }
}
