import { type Hash, createHash } from 'node:crypto'
import { examineSimulated } from './examine.ts'
import type { Outgoing, Sent } from '../../src/ledger/world/send.ts'
import { Agenda, type Owner, settled } from './agenda.ts'
import { type Answer, type Request, ask } from './caller.ts'
import { type Chance, chanceOf } from './chance.ts'
import { ServiceError } from '../../src/base/errors.ts'
import { SimulatedArchive } from './archive.ts'
import { SimulatedDatabase } from './database.ts'
import { DEEDS, TENANTS } from './deeds.ts'
import { Faults, type Injected } from './faults.ts'
import { Invariants } from './invariants/invariants.ts'
import { Violation, holds } from './invariants/invariant.ts'
import { SqlError } from '../../src/sql/port.ts'
import type { Template } from './template.ts'
import type { Wires } from './port.ts'
import { JOBS, Server } from './server.ts'
import { BEGINNING, type Shape, pickWeighted, shapeOf } from './shape.ts'

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
  readonly rollouts: { readonly completed: number; readonly aborted: number }
  readonly events: number
  /** Of the events, those that were erased for good, and how often one came back from an archive. */
  readonly erased: number
  readonly restored: number
  readonly deliveries: number
  readonly faults: readonly Injected[]
  readonly failure:
    | { readonly invariant: string; readonly message: string; readonly step: number }
    | undefined
}

const MINUTE_MS = 60_000

const RECKONING_STEPS = 250

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
  readonly #archive = new SimulatedArchive()
  readonly #invariants: Invariants
  readonly #shape: Shape
  readonly #wires: Wires
  readonly #servers: Server[] = []
  readonly #idle: Owner[]
  readonly #digest: Hash = createHash('sha256')
  #now = BEGINNING
  /** Time that passed, whatever was done to clocks, ms. */
  #elapsed = 0
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
    this.#shape = shapeOf(seed, template.known)
    const { workspace, sharesClock } = this.#shape
    this.#invariants = new Invariants(this.#database.rows.bind(this.#database), {
      workspace,
      sharesClock,
      now: () => this.#now,
    })
    this.#wires = {
      agenda: this.#agenda,
      database: this.#database,
      faults: this.#faults,
      chance: chanceOf(seed, 'wires'),
      lateAnswers: this.#shape.lateAnswers,
      sharesClock,
    }
    this.#idle = Array.from({ length: this.#shape.callers }, (_, index) => ({
      name: `caller ${index}`,
      gone: false,
    }))
    for (const index of this.#shape.skews.keys()) this.#servers.push(this.#newServer(index))
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
      rollouts: this.#invariants.rollouts,
      events: this.#invariants.events,
      erased: this.#invariants.erased,
      restored: this.#invariants.restored,
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

  #pass(ms: number): void {
    this.#now += ms
    this.#elapsed += ms
  }

  #noteStep(what: string): void {
    this.#step += 1
    this.#pass(this.#chance.below(20))
    this.#digest.update(`${this.#now} ${what}\n`)
    this.#options.onStep?.(this.#step, what)
    if (this.#chance.is(0.1)) this.#check(() => this.#database.settleLate())
  }

  async #letGo(): Promise<string> {
    if (this.#agenda.size === 0) {
      this.#pass(this.#chance.below(3 * MINUTE_MS))
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
      this.#shape.skews[index] = this.#chance.pick([-4320, -50, -5, -0.1, 0, 0, 0.1, 5, 50, 7200]) * MINUTE_MS
      this.#invariants.clockSet(this.#now, this.#now)
    } else {
      const forward = fault === "database's clock set forward"
      const before = this.#now
      this.#now +=
        (forward
          ? this.#chance.pick([1, 1, 2, 5, 30, 300, 1500, 6000])
          : -this.#chance.pick([0.1, 1, 10, 90])) * MINUTE_MS
      this.#invariants.clockSet(before, this.#now)
    }
    return fault
  }

  /** More is begun the less waits. */
  #begin(): string | undefined {
    if (!this.#chance.is(this.#agenda.size === 0 ? 0.6 : this.#shape.hurry)) return undefined
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
    const name = pickWeighted(chance, this.#shape.weights)
    if (this.#options.onlyDeeds?.includes(id) === false) {
      this.#idle.push(caller)
      return 'a deed is left out'
    }
    this.#invariants.begun(id)
    const deed = {
      id,
      chance,
      known: this.#shape.known,
      now: this.#now,
      ask: (request: Request) => this.#ask(caller, id, request),
      erase: (tenant: string) => this.#erase(tenant),
      restore: async () => {
        await this.#maintain(server => server.restore())
      },
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

  async #erase(tenant: string): Promise<void> {
    const ended = this.#invariants.erasing(tenant)
    const isDone = await this.#maintain(server => server.erase(tenant))
    this.#check(() => ended(isDone))
  }

  /** Whether it was done: a server may die of it, and what is refused may be tried again another time. */
  async #maintain(work: (server: Server) => Promise<void>): Promise<boolean> {
    const server = this.#chance.pick(this.#servers)
    const done = work(server).then(
      () => true,
      (error: unknown) => {
        const isExpected =
          error instanceof ServiceError || (error instanceof SqlError && error.kind !== 'other')
        if (!isExpected) this.#check(() => fail(error))
        return false
      },
    )
    return (await Promise.race([done, server.ended])) ?? false
  }

  #newServer(index: number): Server {
    return new Server({
      name: `server ${index}`,
      wires: this.#wires,
      workspace: this.#shape.workspace,
      now: () => this.#now + (this.#shape.sharesClock ? 0 : this.#shape.skews[index]!),
      elapsed: () => this.#elapsed,
      newId: prefix => prefix + this.#ids.hex(12),
      send: outgoing => this.#receive(outgoing),
      hasFollower: this.#shape.hasFollower,
      archive: this.#archive,
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
      this.#pass(MINUTE_MS)
      for (const job of JOBS) this.#servers[rounds % this.#servers.length]!.begin(job)
      // What a killed process had begun is ended by the next one that does the same.
      const tenant = TENANTS[rounds]
      if (tenant !== undefined && this.#invariants.hasErased(tenant)) void this.#erase(tenant)
    }
    this.#invariants.reckon({ ended: true })
    await examineSimulated(this.#database)
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

function fail(error: unknown): never {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
  throw new Violation('the service answers without faults of its own', text)
}
