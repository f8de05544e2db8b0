import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Things, worldOf } from '../../../support/access/world.ts'
import { bearing, grant } from '../../../support/services/credentials.ts'
import { ok } from '../../../support/services/requests.ts'
import type { TestService } from '../../../support/services/service.ts'

const AGENTS = ['a', 'b', "c'; --"]
const ENVIRONMENTS = ['prod', 'stage', 'üñí']

const places = fc.uniqueArray(
  fc.record({ agent: fc.constantFrom(...AGENTS), environment: fc.constantFrom(...ENVIRONMENTS) }),
  { minLength: 1, maxLength: 4, selector: ({ agent, environment }) => `${agent} ${environment}` },
)
const some = (names: readonly string[]): fc.Arbitrary<string[] | undefined> =>
  fc.option(fc.subarray([...names, 'nobody'], { minLength: 1 }), { nil: undefined })
const scopes = fc.record({ agents: some(AGENTS), environments: some(ENVIRONMENTS) })

test('what a credential sees of random ledgers is what its scope allows, and nothing else', async () => {
  await fc.assert(
    fc.asyncProperty(places, fc.array(scopes, { minLength: 1, maxLength: 3 }), async (at, given) => {
      const { service, things } = await worldOf(at)
      for (const [index, { agents, environments }] of given.entries()) {
        const token = await grant(service, `t${index}`, {
          role: 'read',
          ...(agents === undefined ? {} : { agents }),
          ...(environments === undefined ? {} : { environments }),
        })
        const own = things.filter(
          thing =>
            (agents ?? [thing.agent]).includes(thing.agent) &&
            (environments ?? [thing.environment]).includes(thing.environment),
        )
        const ofAgents = things.filter(({ agent }) => (agents ?? [agent]).includes(agent))
        await expectSeen(bearing(service, token), { own, ofAgents, all: things })
      }
    }),
    { numRuns: 12 },
  )
})

interface Allowed {
  readonly own: readonly Things[]
  /** Releases belong to an agent; their environment is but a label. */
  readonly ofAgents: readonly Things[]
  readonly all: readonly Things[]
}

async function expectSeen(caller: TestService, { own, ofAgents, all }: Allowed): Promise<void> {
  const ids = (rows: Record<string, string>[], key: string): ReadonlySet<unknown> =>
    new Set(rows.map(row => row[key]))
  const { actions } = await ok(caller.call('GET /v1/actions', { query: { limit: 500 } }))
  expect(ids(actions, 'action_id')).toEqual(new Set(own.map(({ action }) => action)))
  const { requests } = await ok(caller.call('GET /v1/promotion-requests'))
  expect(ids(requests, 'request_id')).toEqual(new Set(own.map(({ request }) => request)))
  const { releases } = await ok(caller.call('GET /v1/releases'))
  expect(ids(releases, 'release_id')).toEqual(new Set(ofAgents.map(({ release }) => release)))
  for (const [route, list] of [
    ['GET /v1/promoted', 'promoted'],
    ['GET /v1/board', 'board'],
  ] as const) {
    const rows = (await ok(caller.call(route)))[list] as { agent_id: string; environment: string }[]
    expect(new Set(rows.map(({ agent_id, environment }) => `${agent_id} ${environment}`))).toEqual(
      new Set(own.map(({ agent, environment }) => `${agent} ${environment}`)),
    )
  }
  for (const environment of ENVIRONMENTS) {
    const body = { context: { environment } }
    const { flags } = await ok(caller.call('POST /ofrep/v1/evaluate/flags', { body }))
    const there = own.filter(thing => thing.environment === environment)
    expect(ids(flags, 'key')).toEqual(new Set(there.map(({ agent }) => agent)))
  }
  for (const { action, release } of all) {
    const shown = await caller.call(`GET /v1/actions/${action}`)
    expect(shown.status).toBe(own.some(thing => thing.action === action) ? 200 : 404)
    const registered = await caller.call(`GET /v1/releases/${release}`)
    expect(registered.status).toBe(ofAgents.some(thing => thing.release === release) ? 200 : 404)
  }
}
