import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { PRICES } from '../../../test/support/services/builders.ts'
import { registrationOf, runOf } from './load.ts'

interface Answer {
  readonly status: number
  readonly body: Readonly<Record<string, unknown>>
}

/** An agent's pipeline and traffic. It records what was acknowledged, and sends again what was not answered. */
export class Client {
  readonly agent: string
  readonly ledger: string
  readonly url: () => string
  /** What each acknowledged decision said, and the runs that were acknowledged. */
  readonly actions = new Map<string, string>()
  readonly runs = new Set<string>()
  readonly problems: string[] = []
  readonly #headers: Readonly<Record<string, string>>
  #releases: string[] = []

  constructor(agent: string, ledger: string, url: () => string, token: string) {
    this.agent = agent
    this.ledger = ledger
    this.url = url
    this.#headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  }

  /** Sets up a ledger. */
  async prepare(): Promise<void> {
    await this.#send('POST', '/v1/pricing', { table: PRICES })
    await this.#send('PUT', '/v1/policy', { require_high_diff_confidence: false })
  }

  /** Registers two releases, and promotes one and the other while runs come in. */
  async run(goesOn: () => boolean): Promise<void> {
    for (const version of ['1', '2']) {
      const { body } = await this.#send('POST', '/v1/releases', registrationOf(version, this.agent))
      this.#releases.push(String(body.release_id))
    }
    for (let round = 0; goesOn(); round++) {
      const release = this.#releases[round % 2]!
      const ids = Array.from({ length: 5 }, (_, index) => `${this.agent}-${round}-${index}`)
      const events = ids.map(id => runOf(release, id, Date.now() - 1000, this.agent))
      if ((await this.#send('POST', '/v1/events', { events })).status === 200)
        for (const id of ids) this.runs.add(id)
      await this.#decide(release, round)
      await delay(500 + 500 * Math.random())
    }
  }

  /** The run_ids that a server has. */
  async storedRuns(url: string): Promise<ReadonlySet<string>> {
    const found = new Set<string>()
    for (const release_id of this.#releases) {
      for (let isMore = true, offset = 0; isMore; offset += 500) {
        const read = { release_id, environment: 'local', window: '1d', limit: '500', offset: String(offset) }
        const path = `/v1/runs/export?${new URLSearchParams(read)}`
        const { text, headers } = await answered(() => url + path, { headers: this.#headers })
        for (const [, id] of text.matchAll(/"run_id":"([^"]+)"/g)) found.add(id!)
        isMore = headers.get('x-service-truncated') === 'true'
      }
    }
    return found
  }

  async #decide(release_id: string, round: number): Promise<void> {
    const body = { release_id, environment: 'local', window: '1h', reason: `round ${round}` }
    const { status, body: said } = await this.#send('POST', '/v1/promote', body, randomUUID())
    const detail = said.detail as { readonly outcome?: Outcome } | undefined
    const outcome = status === 200 ? (said as unknown as Outcome) : detail?.outcome
    if (outcome === undefined)
      this.problems.push(`${this.agent}: promote answered ${status} ${JSON.stringify(said)}`)
    else this.actions.set(outcome.action_id, `${release_id} ${outcome.policy.passed}`)
  }

  async #send(method: string, path: string, body: unknown, key?: string): Promise<Answer> {
    const headers = { ...this.#headers, ...(key === undefined ? {} : { 'idempotency-key': key }) }
    const { status, text } = await answered(() => this.url() + path, {
      method,
      headers,
      body: JSON.stringify(body),
    })
    return { status, body: JSON.parse(text) as Answer['body'] }
  }
}

/** Sends until the answer is neither 503 nor 429. */
async function answered(url: () => string, init: RequestInit) {
  for (;;) {
    try {
      const response = await fetch(url(), init)
      const text = await response.text()
      const { status, headers } = response
      if (status !== 503 && status !== 429) return { status, headers, text }
    } catch {
      // The server was killed, isn't up yet, or closed an idle connection.
    }
    await delay(200)
  }
}

interface Outcome {
  readonly action_id: string
  readonly policy: { readonly passed: boolean }
}
