import type { Statement } from '../../../src/sql/port.ts'
import type { Answer, Request } from '../caller.ts'
import { markOf, rolloutMarkOf } from '../deeds.ts'
import type { TraceRequest } from '../traces.ts'
import { Events } from './events.ts'
import { type Rows, holds, same } from './invariant.ts'
import { Log } from './log.ts'
import { Outbox } from './outbox.ts'
import { Requests } from './requests.ts'
import { Rollouts } from './rollouts.ts'
import { type TimeOptions, Times } from './times.ts'
import { Traces } from './traces.ts'
import { type Decision, Trail } from './trail.ts'

const THERE = 'what was acknowledged is there'

/** All that has to hold of one ledger, whatever happens to its servers. Its methods throw `Violation`. */
export class Invariants {
  readonly #rows: Rows
  readonly #trail: Trail
  readonly #log: Log
  readonly #events: Events
  readonly #traces: Traces
  readonly #requests: Requests
  readonly #rollouts: Rollouts
  readonly #times: Times
  readonly #outbox: Outbox
  /** How many events were stored when a deed was begun. */
  readonly #begun = new Map<number, number>()

  constructor(rows: Rows, times: TimeOptions) {
    this.#rows = rows
    this.#times = new Times(times)
    this.#trail = new Trail(rows)
    this.#log = new Log(rows)
    this.#events = new Events(rows)
    this.#traces = new Traces(rows)
    this.#requests = new Requests(rows, this.#times)
    this.#rollouts = new Rollouts(rows, times.now)
    this.#outbox = new Outbox(rows)
    this.committed(undefined)
  }

  get decisions(): number {
    return this.#trail.decisions.size
  }

  /** Decisions that a watch made. */
  get rollbacksByWatch(): number {
    return [...this.#trail.decisions.values()].filter(({ record }) => record.actor_source === 'watch').length
  }

  get rollouts(): { readonly completed: number; readonly aborted: number } {
    return { completed: this.#rollouts.count('completed'), aborted: this.#rollouts.count('aborted') }
  }

  get events(): number {
    return this.#events.count
  }

  get erased(): number {
    return this.#events.erased
  }

  get restored(): number {
    return this.#events.back
  }

  begun(deed: number): void {
    this.#begun.set(deed, this.#events.count)
    this.#times.begun(deed)
  }

  /** A clock was set; `from` and `to` are what the database's said. */
  clockSet(from: number, to: number): void {
    this.#times.stirred(from, to)
  }

  /** Before a tenant is erased; what it returns is to be called when that is done, or was given up. */
  erasing(...requested: Parameters<Events['erasing']>): (isDone: boolean) => void {
    return this.#events.erasing(...requested)
  }

  /** Whether an erasure of a tenant ever began. */
  hasErased(tenant: string): boolean {
    return this.#events.hasErased(tenant)
  }

  /** After each commit; all is looked at where it is not said what was written. */
  committed(statements: readonly Statement[] | undefined): void {
    const touched = (table: string): boolean => statements?.some(({ text }) => writes(text, table)) ?? true
    if (touched('run_events')) {
      this.#events.follow()
      this.#traces.follow()
    }
    if (touched('audit_head') || touched('actions')) {
      const decisions = this.#trail.follow()
      const entries = this.#log.follow(decisions)
      this.#times.follow(entries, decisions)
      this.#rollouts.follow(entries, decisions)
      for (const decision of decisions) this.#decided(decision)
    }
    if (touched('promoted_pointers') || touched('actions')) this.#trail.checkPointers()
    if (touched('rollouts') || touched('audit_log')) this.#rollouts.check()
    if (touched('promotion_requests') || touched('actions')) this.#requests.follow(this.#trail)
  }

  #decided(decision: Decision): void {
    const { action_id, reason, evidence } = decision.record
    const deed = /deed-(\d+)\.$/.exec(reason)?.[1]
    this.#events.requireCounted(decision, this.#begun.get(Number(deed)) ?? 0)
    this.#outbox.requireAnnounced(decision)
    const [policy] = this.#rows('SELECT policy_json FROM policy_history ORDER BY seq DESC LIMIT 1')
    const inForce =
      policy === undefined ? undefined : (JSON.parse(String(policy.policy_json)) as Record<string, unknown>)
    for (const key of ['max_cost_per_run_usd', 'max_error_rate', 'min_candidate_runs'] as const) {
      same(
        'the policy is the one in force',
        `${key} of ${action_id}`,
        evidence.policy[key] ?? null,
        inForce?.[key] ?? null,
      )
    }
    if (evidence.evaluation === null) return
    const [table] = this.#rows(
      `SELECT pricing_json FROM pricing_tables WHERE provider = 'acme' AND pricing_version = 'v1'`,
    )
    const { entries } = JSON.parse(String(table!.pricing_json)) as {
      entries: { model: string; input_usd_per_1k_tokens: number }[]
    }
    const rates = new Map(entries.map(entry => [entry.model, entry.input_usd_per_1k_tokens]))
    for (const rate of [...evidence.evaluation.baseline.rates, ...evidence.evaluation.candidate.rates]) {
      same(
        'the rates are those in force',
        `${rate.model} in ${action_id}`,
        rate.input_usd_per_1k_tokens,
        rates.get(rate.model),
      )
    }
  }

  /** After each answer that a caller got. */
  answered(deed: number, { route, body: requested }: Request, answer: Answer): void {
    const { status, body } = answer
    holds(
      'the service answers without faults of its own',
      EXPECTED.has(status),
      () => `${route} answered ${status} ${JSON.stringify(body)}`,
    )
    const sent = requested as Record<string, unknown> | undefined
    const action: string | null | undefined = body?.action_id ?? body?.detail?.outcome?.action_id
    if (DECIDING.has(route) && action != null) {
      const decision = this.#trail.decisions.get(action)
      same(
        THERE,
        `the release of ${action}`,
        decision?.record.release_id,
        (body.detail?.outcome ?? body).release_id,
      )
      if (JSON.stringify(sent).includes(markOf(deed))) {
        same('a deed decides once', `the action of deed ${deed}`, this.#trail.byDeed.get(deed), action)
      }
    }
    if (status !== 200) return
    if (route === 'POST /v1/events') this.#events.requireStored(sent!.events as never)
    else if (route === 'POST /v1/traces') this.#traces.answered(requested as TraceRequest, answer)
    else if (route === 'POST /v1/rollouts') {
      const [row] = this.#rows('SELECT reason FROM rollouts WHERE rollout_id = ?', body.rollout_id as string)
      same(THERE, 'the rollout', row?.reason, rolloutMarkOf(deed))
    } else if (route === 'POST /v1/promote/request') {
      holds(
        THERE,
        this.#requests.get(body.request_id as string) !== undefined,
        () => `request ${body.request_id}`,
      )
      const { expires_at } = this.#requests.get(body.request_id as string)!
      same('a request ends when it says', 'its answer', Date.parse(body.expires_at as string), expires_at)
    } else if (route === 'POST /v1/promote/confirm') {
      const request = this.#requests.get(sent!.request_id as string)
      same(THERE, 'the action of the request', request?.completed_action_id, action)
    } else if (ENDING.has(route)) {
      const request = this.#requests.get(sent!.request_id as string)
      same(
        THERE,
        'who ended the request',
        [request?.status, request?.resolution_reason],
        ['cancelled', markOf(deed)],
      )
    } else if (route in KEPT) {
      const found = this.#rows(KEPT[route as keyof typeof KEPT], `%${kept(route, deed)}%`)
      holds(THERE, found.length === 1, () => `${route} of deed ${deed}: ${found.length} rows`)
    }
  }

  /** After each payload that a receiver got. */
  received(body: string): void {
    this.#outbox.received(body, id => this.#trail.decisions.has(id) || this.#requests.get(id) !== undefined)
  }

  /** Checks that are costly. */
  reckon({ ended = false } = {}): void {
    this.#trail.reckon()
    this.#log.reckon()
    this.#events.reckon()
    this.#outbox.reckon({ ended })
    for (const [table, column] of Object.entries(SENT_ONCE)) {
      const twice = this.#rows(
        `SELECT ${column} AS mark FROM ${table} GROUP BY ${column} HAVING count(*) > 1 AND ${column} IS NOT NULL`,
      )
      same('what was asked once is done once', table, twice, [])
    }
  }
}

const EXPECTED = new Set([200, 202, 304, 400, 404, 409, 503])
const DECIDING = new Set(['POST /v1/promote', 'POST /v1/rollback', 'POST /v1/promote/confirm'])
const ENDING = new Set(['POST /v1/promote/cancel', 'POST /v1/promote/reject'])

/** What callers ask for once, whether or not they are answered, by the column that says which deed it is of. */
const SENT_ONCE = {
  pricing_imports: 'reason',
  releases: 'version',
  webhooks: 'description',
  rollouts: 'reason',
  rollout_requests: 'reason',
} as const

/** Where a row says which deed wrote it. */
const KEPT = {
  'PUT /v1/policy': 'SELECT seq FROM policy_history WHERE policy_json LIKE ? LIMIT 1',
  'POST /v1/pricing': 'SELECT seq FROM pricing_imports WHERE reason LIKE ?',
  'POST /v1/releases': 'SELECT release_id FROM releases WHERE version LIKE ?',
} as const

function kept(route: string, deed: number): string {
  if (route === 'PUT /v1/policy') return `"max_cost_per_run_usd":${1000 + deed}`
  return route === 'POST /v1/releases' ? `v${deed}.` : markOf(deed)
}

const written = new Map<string, ReadonlySet<string>>()

function writes(text: string, table: string): boolean {
  const known = written.get(text)
  if (known !== undefined) return known.has(table)
  const tables = new Set(
    Array.from(text.matchAll(/(?:INSERT INTO|UPDATE|DELETE FROM) (\w+)/g), match => match[1]!),
  )
  written.set(text, tables)
  return tables.has(table)
}
