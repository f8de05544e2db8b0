import type { Row } from '../../../src/sql/port.ts'
import type { Times } from './times.ts'
import type { Trail } from './trail.ts'
import { type Rows, deedOf, holds, same } from './invariant.ts'

const ONCE = 'a request is settled once'

/** Follows each promotion request from pending to its one end. */
export class Requests {
  readonly #rows: Rows
  readonly #times: Times
  readonly #known = new Map<string, Row>()
  readonly #byDeed = new Map<number, string>()

  constructor(rows: Rows, times: Times) {
    this.#rows = rows
    this.#times = times
  }

  get(id: string): Row | undefined {
    return this.#known.get(id)
  }

  follow(trail: Trail): void {
    const columns =
      'request_id, status, resolution, resolved_by, resolution_reason, completed_action_id, reason, expires_at'
    for (const row of this.#rows(`SELECT ${columns} FROM promotion_requests`)) {
      const id = String(row.request_id)
      const before = this.#known.get(id)
      if (before === undefined) this.#made(id, row)
      else if (before.status !== 'pending') same(ONCE, id, row, before)
      else if (row.status !== 'pending') this.#times.settled(row)
      if (row.status === 'completed') {
        const action = trail.decisions.get(String(row.completed_action_id))?.record
        same(ONCE, `the request of ${row.completed_action_id}`, action?.evidence.request?.request_id, id)
      }
      this.#known.set(id, row)
    }
    const settling = [...trail.decisions.values()].flatMap(({ record }) =>
      record.policy_passed && record.evidence.request !== null ? [record.evidence.request.request_id] : [],
    )
    holds(
      ONCE,
      new Set(settling).size === settling.length,
      () => `two decisions passed for one of ${settling.join(', ')}`,
    )
  }

  #made(id: string, { reason }: Row): void {
    const deed = deedOf(String(reason))!
    same('a deed decides once', `the request of deed ${deed}`, this.#byDeed.get(deed), undefined)
    this.#byDeed.set(deed, id)
  }
}
