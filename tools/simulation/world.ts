import { type Hash, createHash } from 'node:crypto'
import type { WorkspaceConfig } from '../../src/models/documents/workspace.ts'
import { accept as acceptWorkspace } from '../../src/models/accept/workspace.ts'
import { loadMigrations } from '../../src/runtime/node/migrations.ts'
import { examine } from '../../src/ledger/health/doctor.ts'
import type { Outgoing, Sent } from '../../src/ledger/send.ts'
import { Agenda, type Owner, settled } from './agenda.ts'
import { type Answer, type Request, ask } from './caller.ts'
import { type Chance, chanceOf } from './chance.ts'
import { SIMULATED_CLOCK, SimulatedDatabase } from './database.ts'
import { DEEDS, type Known } from './deeds.ts'
import { Faults, type Injected } from './faults.ts'
import { Invariants } from './invariants/invariants.ts'
import { Violation, holds, same } from './invariants/invariant.ts'
import { SqlError } from '../../src/sql/port.ts'
import type { Template } from './template.ts'
import type { Wires } from './port.ts'
import { JOBS, Server } from './server.ts'

export interface WorldOptions {
  readonly seed: number
  /** Steps until it heals: then no fault is injected any more, and all that was begun has to end. */
  readonly steps: number
  readonly template: Template
  /** Opportunities at which a fault is injected; all that the seed says unless given. */
  readonly onlyFaults?: readonly number[] | undefined
  /** Deeds that callers do; all that the seed says unless given. */
  readonly onlyDeeds?: readonly number[] | undefined
  /** Called with each step. */
  readonly onStep?: (step: number, what: string) => void
}

export interface Ran {
  /** SHA-256 over all steps, in order. */
  readonly digest: string
  /** With those of the healing. */
  readonly steps: number
  readonly deeds: number
  readonly requests: number
  readonly decisions: number
  /** Of the decisions, those that a watch made. */
  readonly rollbacksByWatch: number
  readonly events: number
  readonly deliveries: number
  readonly faults: readonly Injected[]
  readonly failure:
    | { readonly invariant: string; readonly message: string; readonly step: number }
    | undefined
}

/** Noon of the day on which every world begins. */
export const BEGINNING = Date.UTC(2026, 0, 31, 12)
const MINUTE_MS = 60_000

/** Steps from one reckoning to the next. */
export const RECKONING_STEPS = 250

/** More than a healed world needs to end what was begun. */
const MOST_HEALING_STEPS = 20_000

/** Several servers, callers and receivers on one database, of which everything that happens follows from a seed. */
export class World {
  readonly #options: WorldOptions
  readonly #chance: Chance
  readonly #ids: Chance
  readonly #faults: Faults
  readonly #agenda = new Agenda()
  readonly #database: SimulatedDatabase
  readonly #invariants: Invariants
  readonly #wires: Wires
  readonly #servers: Server[] = []
  readonly #skews: number[]
  readonly #idle: Owner[]
  readonly #known: Known
  readonly #digest: Hash = createHash('sha256')
  readonly #hasFollower: boolean
  /** How likely something more is begun while something waits. */
  readonly #hurry: number
  readonly #workspace: WorkspaceConfig
  readonly #weights: readonly (readonly [string, number])[]
  #now = BEGINNING
  #step = 0
  #deeds = 0
  #requests = 0
  #deliveries = 0
  #violation: Violation | undefined

  constructor(options: WorldOptions) {
    const { seed, template } = options
    this.#options = options
    this.#chance = chanceOf(seed, 'schedule')
    this.#ids = chanceOf(seed, 'ids')
    this.#faults = new Faults(seed, options.onlyFaults)
    this.#database = new SimulatedDatabase({
      image: template.image,
      now: () => this.#now,
      onCommit: statements => this.#check(() => this.#invariants.committed(statements)),
    })
    this.#invariants = new Invariants(this.#database.rows.bind(this.#database))
    const shape = chanceOf(seed, 'shape')
    this.#known = placesOf(template.known, shape)
    this.#wires = {
      agenda: this.#agenda,
      database: this.#database,
      faults: this.#faults,
      chance: chanceOf(seed, 'wires'),
      lateAnswers: shape.pick([0, 0.1, 0.4]),
    }
    this.#hasFollower = shape.is(0.5)
    this.#hurry = shape.pick([0.02, 0.15])
    this.#workspace = acceptWorkspace({ ...WORKSPACE, approvals_required: shape.pick([1, 1, 2]) })!
    this.#skews = Array.from({ length: 2 + shape.below(3) }, () => shape.below(4000) - 2000)
    this.#idle = Array.from({ length: 3 + shape.below(8) }, (_, index) => ({
      name: `caller ${index}`,
      gone: false,
    }))
    this.#weights = Object.entries(DEEDS).map(([name, { weight }]) => [
      name,
      weight * shape.pick([0, 1, 10, 10, 30]),
    ])
    for (const index of this.#skews.keys()) this.#servers.push(this.#newServer(index))
  }

  async run(): Promise<Ran> {
    try {
      while (this.#step < this.#options.steps && this.#violation === undefined) await this.#takeStep()
      if (this.#violation === undefined) await this.#heal()
    } catch (error) {
      if (!(error instanceof Violation)) throw error
      this.#violation ??= error
    } finally {
      this.#database.close()
    }
    const failure = this.#violation
    return {
      digest: this.#digest.digest('hex'),
      steps: this.#step,
      deeds: this.#deeds,
      requests: this.#requests,
      decisions: this.#invariants.decisions,
      rollbacksByWatch: this.#invariants.rollbacksByWatch,
      events: this.#invariants.events,
      deliveries: this.#deliveries,
      faults: this.#faults.injected,
      failure: failure && { invariant: failure.invariant, message: failure.message, step: this.#step },
    }
  }

  /** One thing happens: something that waits goes on, a caller or a server begins something, or the world moves. */
  async #takeStep(): Promise<void> {
    const what = this.#moveWorld() ?? this.#begin() ?? (await this.#letGo())
    await settled()
    this.#noteStep(what)
    if (this.#step % RECKONING_STEPS === 0) this.#check(() => this.#invariants.reckon())
  }

  #noteStep(what: string): void {
    this.#step += 1
    this.#now += this.#chance.below(20)
    this.#digest.update(`${this.#now} ${what}\n`)
    this.#options.onStep?.(this.#step, what)
    if (this.#chance.is(0.1)) this.#check(() => this.#database.settleLate())
  }

  async #letGo(): Promise<string> {
    if (this.#agenda.size === 0) {
      this.#now += this.#chance.below(3 * MINUTE_MS)
      return 'nothing happens'
    }
    const what = await this.#agenda.letGo(this.#chance.below(this.#agenda.size))
    this.#replaceDead()
    return what
  }

  #moveWorld(): string | undefined {
    const fault = this.#faults.at('world')
    if (fault === undefined) return undefined
    const index = this.#chance.below(this.#servers.length)
    if (fault === 'server killed while it waits') {
      void this.#servers[index]!.die()
      this.#replaceDead()
    } else if (fault === 'clock of a server moved') {
      this.#skews[index] = this.#chance.pick([-50, -5, -0.1, 0, 0.1, 5, 50]) * MINUTE_MS
    } else {
      const forward = fault === "database's clock set forward"
      this.#now +=
        (forward ? this.#chance.pick([1, 1, 2, 5, 30, 300, 6000]) : -this.#chance.pick([0.1, 1, 10])) *
        MINUTE_MS
    }
    return fault
  }

  /** More is begun the less waits. */
  #begin(): string | undefined {
    if (!this.#chance.is(this.#agenda.size === 0 ? 0.6 : this.#hurry)) return undefined
    if (this.#chance.is(0.25) || this.#idle.length === 0) {
      const [server, job] = [this.#chance.pick(this.#servers), this.#chance.pick(JOBS)]
      return server.begin(job) ? `${server.name} begins ${job}` : undefined
    }
    return this.#beginDeed()
  }

  #beginDeed(): string {
    const caller = this.#idle.splice(this.#chance.below(this.#idle.length), 1)[0]!
    const id = ++this.#deeds
    const chance = chanceOf(this.#options.seed, 'deed', id)
    const name = pickWeighted(chance, this.#weights)
    if (this.#options.onlyDeeds?.includes(id) === false) {
      this.#idle.push(caller)
      return 'a deed is left out'
    }
    this.#invariants.begun(id)
    const deed = {
      id,
      chance,
      known: this.#known,
      now: this.#now,
      ask: (request: Request) => this.#ask(caller, id, request),
    }
    void DEEDS[name]!.run(deed)
      .catch((error: unknown) => this.#check(() => fail(error)))
      .then(() => this.#idle.push(caller))
    return `${caller.name} begins deed ${id} ${name}`
  }

  async #ask(caller: Owner, deed: number, request: Request): Promise<Answer | undefined> {
    this.#requests += 1
    const network = {
      agenda: this.#agenda,
      faults: this.#faults,
      chance: this.#chance,
      server: () => this.#chance.pick(this.#servers),
    }
    const answer = await ask(network, caller, `key-${deed}`, request)
    if (answer !== undefined) this.#check(() => this.#invariants.answered(deed, request, answer))
    return answer
  }

  #newServer(index: number): Server {
    return new Server({
      name: `server ${index}`,
      wires: this.#wires,
      workspace: this.#workspace,
      now: () => this.#now + this.#skews[index]!,
      newId: prefix => prefix + this.#ids.hex(12),
      send: outgoing => this.#receive(outgoing),
      hasFollower: this.#hasFollower,
      onError: (message, error) => {
        // Those that were injected; a statement that the database refuses is of kind `other`.
        if (!(error instanceof SqlError) || error.kind === 'other') this.#check(() => fail(error ?? message))
      },
    })
  }

  #replaceDead(): void {
    for (const [index, server] of this.#servers.entries()) {
      if (!server.gone) continue
      this.#agenda.sweep()
      this.#servers[index] = this.#newServer(index)
    }
  }

  #receive({ body }: Outgoing): Promise<Sent> {
    return this.#agenda.wait({ name: 'receiver', gone: false }, 'gets a delivery', () => {
      const fault = this.#faults.at('receiver')
      if (fault === 'receiver unreachable') return { problem: 'refused' }
      this.#deliveries += 1
      this.#check(() => this.#invariants.received(body))
      if (fault === 'receiver answered 500') return { status: 500, text: '' }
      return fault === undefined ? { status: 200, text: 'ok' } : { problem: 'no answer' }
    })
  }

  /** No more faults: all that was begun ends, all that was to be sent is, and the ledger is sound. */
  async #heal(): Promise<void> {
    this.#faults.healed = true
    this.#database.settleLate()
    const until = this.#step + MOST_HEALING_STEPS
    for (let rounds = 0; rounds < 12; rounds++) {
      while (this.#agenda.size > 0) {
        this.#noteStep(await this.#letGo())
        if (this.#violation !== undefined) return
        holds('everything ends', this.#step < until, () => `${this.#agenda.size} wait still`)
      }
      this.#now += MINUTE_MS
      for (const job of JOBS) this.#servers[rounds % this.#servers.length]!.begin(job)
    }
    this.#invariants.reckon({ ended: true })
    await this.#examine()
  }

  async #examine(): Promise<void> {
    const database = this.#database
    const sql = {
      dialect: 'sqlite',
      clock: SIMULATED_CLOCK,
      query: async statement => database.read([statement])[0]!,
      snapshot: async statements => database.read(statements),
      batch: async statements => database.write(statements),
      check: async () => {},
      close: async () => {},
    } as const satisfies Parameters<typeof examine>[0]
    const versions = loadMigrations().map(({ version }) => version)
    const { checks } = await examine(sql, { versions, deep: true })
    same(
      'the doctor finds nothing',
      'what it finds',
      checks.filter(({ ok }) => !ok),
      [],
    )
  }

  /** The first violation ends the world. The service must not take it for an error of its own. */
  #check(act: () => void): void {
    try {
      act()
    } catch (error) {
      if (!(error instanceof Violation)) throw error
      this.#violation ??= error
    }
  }
}

/** Half of the worlds have one place only, at which everything happens. */
function placesOf(template: Known, shape: Chance): Known {
  const known = structuredClone(template) as Known
  if (shape.is(0.5)) return known
  const releases = known.releases.filter(({ agent }) => agent === known.releases[0]!.agent)
  return { ...known, releases, environments: known.environments.slice(0, 1) }
}

/** What the servers of all worlds have. */
const WORKSPACE = {
  diff: { min_candidate_runs: 10, min_baseline_runs: 10, min_low_runs: 3 },
  allow_forced_rollback: true,
  approval_expires: '6h',
} as const

function pickWeighted(chance: Chance, items: readonly (readonly [string, number])[]): string {
  const total = items.reduce((sum, [, weight]) => sum + weight, 0)
  let left = chance.below(total)
  for (const [name, weight] of items) {
    if (left < weight) return name
    left -= weight
  }
  throw new Error('no deed has a weight')
}

function fail(error: unknown): never {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
  throw new Violation('the service answers without faults of its own', text)
}
