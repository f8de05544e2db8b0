import { type Request as MiniflareRequest, Response as MiniflareResponse } from 'miniflare'
import { afterAll, beforeAll, onTestFinished } from 'vitest'
import type { Outgoing, Send } from '../../../src/ledger/world/send.ts'
import { openD1 } from '../../../src/sql/d1.ts'
import { emptyTables } from '../databases/emptied.ts'
import type { Sql } from '../../../src/sql/port.ts'
import { described } from '../services/described.ts'
import { type MakeService, type ServiceOptions, testBase } from '../services/service.ts'
import { LOGGED_HEADER, NEXT_ID_HEADER, SETTINGS_HEADER, type Settings } from './settings.ts'
import { type TestWorkerd, startWorkerd } from './workerd.ts'

/** D1 bindings of the Worker: what one test may use at once. */
const BINDINGS = Array.from({ length: Number(process.env.NB ?? 64) }, (_, index) => `DB${index}`)

/** Ids that one of several requests at once may give. */
const IDS_PER_REQUEST = 10_000

/** A ledger that a Worker can reach, and the same one for this process. */
export interface WorkerLedger {
  readonly name: string
  readonly sql: Sql
}

export interface WorkerFixture {
  readonly makeService: MakeService
  /** A migrated ledger in D1 that is the test's own until it is over. */
  readonly d1: () => Promise<WorkerLedger>
}

/** A workerd for the tests of a file. The service in it opens the ledgers that `ledgerOf` gives. */
export function workerService(ledgerOf: (fixture: WorkerFixture) => Promise<WorkerLedger>): WorkerFixture {
  let workerd: TestWorkerd
  const idle = [...BINDINGS]
  const opened = new Map<string, Sql>()
  beforeAll(async () => {
    const RECEIVER = (request: MiniflareRequest): Promise<MiniflareResponse> => receive(request)
    workerd = await startWorkerd(BINDINGS, { RECEIVER })
  })
  afterAll(() => workerd.close())

  /** The Worker can't call a function of a test, so what it sends comes by way of a binding. */
  const receivers: Send[] = []
  const receive = async (request: MiniflareRequest): Promise<MiniflareResponse> => {
    const send = receivers[Number(new URL(request.url).pathname.slice(1))]!
    return MiniflareResponse.json(await send((await request.json()) as Outgoing))
  }

  const fixture: WorkerFixture = {
    async d1() {
      const name = idle.pop()
      if (name === undefined) throw new Error(`a test may use ${BINDINGS.length} ledgers at once`)
      const used = opened.get(name)
      if (used === undefined) await workerd.migrate(name)
      else await emptyTables(used)
      const db = used ?? openD1(workerd.d1(name))
      opened.set(name, db)
      onTestFinished(() => void idle.unshift(name))
      return { name, sql: db }
    },
    async makeService(options: ServiceOptions = {}) {
      const ledger = await ledgerOf(fixture)
      const base = await testBase({ ...options, sql: ledger.sql })
      const { context, clock, logged } = base
      const service = receivers.push(context.send) - 1
      let firstId = options.firstId ?? 0
      return {
        ...base,
        call: described(async (route, { peer = context.peer, ...call } = {}) => {
          const settings: Settings = {
            ledger: ledger.name,
            service,
            now: clock.now + clock.ahead,
            databaseNow: clock.now,
            firstId,
            workspace: context.workspace,
            tokens: options.tokens ?? {},
            catalog: options.catalog ?? { state: 'off' },
            peer,
            maxBodyBytes: context.maxBodyBytes,
          }
          const reserved = (firstId += IDS_PER_REQUEST)
          const own = { [SETTINGS_HEADER]: encodeURIComponent(JSON.stringify(settings)) }
          const answer = await workerd.send(route, { ...call, headers: { ...own, ...call.headers } })
          const lines = decodeURIComponent(answer.headers.get(LOGGED_HEADER) ?? '[]')
          logged.push(...(JSON.parse(lines) as typeof logged))
          // Where no other request was begun meanwhile, ids go on as they would in one process.
          if (firstId === reserved) firstId = Number(answer.headers.get(NEXT_ID_HEADER))
          for (const header of [LOGGED_HEADER, NEXT_ID_HEADER]) answer.headers.delete(header)
          return answer
        }),
      }
    },
  }
  return fixture
}
