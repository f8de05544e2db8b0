import { FEATURES } from '../../src/entry/features.ts'
import { routes } from '../../handlers/index.ts'
import { accessControl } from '../../src/http/access/access.ts'
import type { Context } from '../../src/http/access/context.ts'
import type { RequestLike } from '../../src/http/wire/message.ts'
import { createRouter } from '../../src/http/router.ts'
import { newMemo } from '../../src/ledger/world/memo.ts'
import { type Archive, pruneEvents, eventCutoff } from '../../src/features/retention/prune.ts'
import { pruneDeliveries } from '../../src/features/retention/others.ts'
import { eraseTenant } from '../../src/features/retention/erase.ts'
import { checkRollouts } from '../../src/features/rollouts/tick.ts'
import { type JobKind, type Manner, takenElsewhere } from '../../src/features/retention/job.ts'
import { restoreEvents } from '../../src/features/retention/restore.ts'
import type { Send } from '../../src/ledger/world/send.ts'
import { newServerTally } from '../../src/ledger/world/tally.ts'
import { keepLedger } from '../../src/ledger/decide/keep_ledger.ts'
import { checkWatches } from '../../src/features/watch/tick.ts'
import { type Dispatcher, createDispatcher } from '../../src/ledger/webhooks/dispatcher.ts'
import type { WorkspaceConfig } from '../../src/models/documents/workspace.ts'
import { SERVICE_ACTOR } from '../../src/ledger/trail/chain.ts'
import type { Mortal } from './agenda.ts'
import type { SimulatedArchive } from './archive.ts'
import { type Wires, followerOf, portOf } from './port.ts'

export interface ServerOptions {
  readonly name: string
  readonly wires: Wires
  readonly workspace: WorkspaceConfig
  /** The server's own clock, epoch ms. */
  readonly now: () => number
  readonly elapsed: () => number
  readonly newId: (prefix: string) => string
  readonly send: Send
  readonly hasFollower: boolean
  readonly archive: SimulatedArchive
  /** Called for what the service masks as 500. */
  readonly onError: (message: string, error: unknown) => void
}

type Reply = Awaited<ReturnType<ReturnType<typeof createRouter>>>

const DAY_MS = 86_400_000

/** Background work of a server, one of each kind at a time. */
export const JOBS = ['outbox', 'watches', 'rollouts', 'upkeep', 'retention'] as const
export type Job = (typeof JOBS)[number]

const LOOPBACK = { kind: 'socket', address: '127.0.0.1' } as const
const router = createRouter(routes)

/** One life of a server, from its start to its death: all that it remembers. */
export class Server implements Mortal {
  readonly name: string
  /** Resolves when it is gone, for those who wait for its answers. */
  readonly ended: Promise<undefined>
  readonly #context: Omit<Context, 'peer'>
  readonly #dispatcher: Dispatcher
  readonly #archive: SimulatedArchive
  readonly #running = new Set<Job>()
  readonly #end: () => void
  #gone = false

  constructor({ name, wires, hasFollower, archive, onError, ...given }: ServerOptions) {
    this.name = name
    this.#archive = archive
    const { promise, resolve } = Promise.withResolvers<undefined>()
    this.ended = promise
    this.#end = () => resolve(undefined)
    this.#context = {
      ...given,
      sql: portOf(wires, this),
      ...(hasFollower ? { follower: followerOf(wires, this) } : {}),
      memo: newMemo(),
      features: FEATURES,
      tally: newServerTally(),
      log: (level, message, fields) => {
        if (level === 'error') onError(message, fields?.error)
      },
      catalog: async () => ({ state: 'off' }),
      version: '0.0.0-simulated',
      migrations: [],
      access: accessControl({}),
      assets: async () => undefined,
      describe: async () => '{}',
      nextTurn: async () => {},
      maxBodyBytes: 1_000_000,
      secret: () => undefined,
      outboxFilled: () => {},
      afterwards: work => void work().catch(() => {}),
    }
    this.#dispatcher = createDispatcher(this.#context)
  }

  get gone(): boolean {
    return this.#gone
  }

  die(): Promise<never> {
    this.#gone = true
    this.#end()
    return new Promise<never>(() => {})
  }

  /** `approving` is for a workspace that demands approvals. */
  handle(request: RequestLike, approving: boolean): Promise<Reply> {
    const workspace = { ...this.#context.workspace, promotion_requires_approval: approving }
    return router(request, { ...this.#context, workspace, peer: LOOPBACK })
  }

  /** Begins a job unless it is under way. What it throws comes to nothing: it is begun again another time. */
  begin(job: Job): boolean {
    if (this.#running.has(job)) return false
    this.#running.add(job)
    const ended = (): void => void this.#running.delete(job)
    this.#work(job).then(ended, ended)
    return true
  }

  async #work(job: Job): Promise<void> {
    const context = this.#context
    if (job === 'outbox') {
      await this.#dispatcher.dispatch()
      await this.#dispatcher.settled()
    } else if (job === 'watches') await checkWatches(context)
    else if (job === 'rollouts') await checkRollouts(context)
    else if (job === 'upkeep') await keepLedger(context, { version: context.version, pace: batch => batch() })
    else await prune(context, this.#archive.keeper())
  }

  /** What commands do on the machine of the ledger. */
  async erase(tenant: string): Promise<void> {
    await eraseTenant(this.#context, { tenant, ...mannerOf('erase') })
  }

  async restore(): Promise<void> {
    await restoreEvents(this.#context, this.#archive.restorable(), mannerOf('restore'))
  }
}

function mannerOf(kind: JobKind): Manner {
  return {
    actor: SERVICE_ACTOR,
    pace: batch => batch(),
    onTaken: () => Promise.reject(takenElsewhere(kind)),
  }
}

async function prune(context: Omit<Context, 'peer'>, archive: Archive): Promise<void> {
  const before = await eventCutoff(context, '2d')
  await pruneEvents(context, { before, restored: false, archive, ...mannerOf('prune') })
  await pruneDeliveries(context.sql, context.now() - 3 * DAY_MS, batch => batch())
}
