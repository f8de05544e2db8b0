import { loadMigrations } from '../../src/runtime/node/migrations.ts'
import { workspaceConfig } from '../../src/runtime/documents.ts'
import { Agenda, settled } from './agenda.ts'
import { type Answer, type Request, ask } from './caller.ts'
import { chanceOf } from './chance.ts'
import { migrate } from '../../src/sql/migrate.ts'
import { SimulatedArchive } from './archive.ts'
import { SimulatedDatabase } from './database.ts'
import { releaseOf } from '../../test/support/services/builders.ts'
import { AGENTS, ENVIRONMENTS, type Known } from './deeds.ts'
import { Faults } from './faults.ts'
import { directPort } from './port.ts'
import { Server } from './server.ts'

/** A ledger that worlds begin with: two agents with two releases each, their prices and a webhook. */
export interface Template {
  readonly image: Uint8Array
  readonly known: Known
}

const BEGINNING = Date.UTC(2026, 0, 31, 11)

/** Made by the service itself. All that is loaded when it is first needed is loaded by then. */
export async function makeTemplate(): Promise<Template> {
  const database = new SimulatedDatabase({ now: () => BEGINNING, onCommit: () => {} })
  await migrate(directPort(database), loadMigrations({ dialect: 'sqlite' }), () => BEGINNING)
  const [agenda, faults] = [new Agenda(), new Faults(0, [])]
  const ids = chanceOf(0, 'template')
  const server = new Server({
    name: 'first server',
    wires: { agenda, database, faults, chance: ids, lateAnswers: 0, sharesClock: false },
    workspace: workspaceConfig({}),
    now: () => BEGINNING,
    elapsed: () => 0,
    newId: prefix => prefix + ids.hex(12),
    send: async () => ({ status: 200, text: '' }),
    hasFollower: false,
    archive: new SimulatedArchive(),
    onError: message => {
      throw new Error(message)
    },
  })
  const caller = { name: 'first caller', gone: false }
  const known: Known = {
    releases: [],
    requests: [],
    actions: [],
    webhooks: [],
    watches: [],
    rollouts: [],
    rolloutRequests: [],
    environments: [...ENVIRONMENTS],
    sent: [],
    traces: [],
  }
  const network = { agenda, faults, chance: ids, server: () => server }
  const done = async <T>(work: Promise<T>): Promise<T> => {
    const state = { ended: false }
    const end = (): void => void (state.ended = true)
    work.then(end, end)
    while (!state.ended) {
      if (agenda.size > 0) await agenda.letGo(0)
      else await settled()
    }
    return work
  }
  const post = (request: Request): Promise<Answer | undefined> => done(ask(network, caller, 'first', request))
  await post({ route: 'POST /v1/pricing', body: { table: PRICES } })
  await post({ route: 'PUT /v1/policy', body: POLICY })
  for (const agent of [...AGENTS, ...AGENTS]) {
    const body = {
      artifact: releaseOf({ agent, version: `v${known.releases.length}` }),
      checksum: 'a'.repeat(64),
    }
    const answer = await post({ route: 'POST /v1/releases', body })
    known.releases.push({ id: answer!.body.release_id as string, agent })
  }
  const hook = {
    url: 'https://first.example.com/',
    events: ['promote.succeeded', 'promote.blocked', 'rollback.succeeded'],
  }
  const made = await post({ route: 'POST /v1/webhooks', body: hook })
  known.webhooks.push(made!.body.webhook_id as string)
  const image = database.serialize()
  database.close()
  return { image, known }
}

const POLICY = {
  require_high_diff_confidence: false,
  on_inconclusive: 'pass',
  max_error_rate_increase: 0.3,
}

const PRICES = {
  provider: 'acme',
  pricing_version: 'v1',
  entries: ['m1', 'm2'].map(model => ({
    model,
    input_usd_per_1k_tokens: 0.001,
    output_usd_per_1k_tokens: 0.002,
  })),
}
