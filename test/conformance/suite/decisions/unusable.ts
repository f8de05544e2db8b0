import { describe, expect, test } from 'vitest'
import { PRICES, eventOf, importPrices, register } from '../../../support/services/builders.ts'
import { bearing, grant } from '../../../support/services/credentials.ts'
import { ingest, ok, promote, setPolicy } from '../../../support/services/requests.ts'
import { type MakeService, NOON, type TestService } from '../../../support/services/service.ts'

const HOUR_MS = 3_600_000
const at = (hours: number): string => new Date(NOON + hours * HOUR_MS).toISOString()

/** Releases that can't be decided on: the board, the doctor and the metrics name them. */
export function unusableContract(makeService: MakeService): void {
  const metricsOf = async (service: TestService): Promise<string[]> =>
    (await service.call('GET /metrics')).text
      .split('\n')
      .filter(line => /^service_releases?_unusable/.test(line))
  const warningsOf = async (service: TestService): Promise<unknown[]> =>
    (await ok(service.call('GET /v1/doctor'))).checks
      .filter(({ name }: { name: string }) => name === 'unusable_releases')
      .map(({ detail, warning }: { detail: string; warning: true }) => ({ detail, warning }))
  const boardOf = async (service: TestService) => (await ok(service.call('GET /v1/board'))).board

  /** A live release and a newer one, ten runs each, all in order. */
  async function twoInOrder() {
    const service = await makeService()
    await importPrices(service)
    const live = await register(service, { version: '1' })
    await ok(promote(service, live))
    const newest = await register(service, { version: '2' })
    for (const id of [live, newest]) {
      const events = Array.from({ length: 10 }, (_, n) => eventOf({ release_id: id, run_id: `${id}-${n}` }))
      await ingest(service, events)
    }
    return { service, live, newest }
  }

  describe('releases that can be decided on', () => {
    test('are not named', async () => {
      const { service } = await twoInOrder()
      const [place] = await boardOf(service)
      expect(place.promoted).not.toHaveProperty('unusable')
      expect(place.newest_release).not.toHaveProperty('unusable')
      expect(await warningsOf(service)).toEqual([])
      expect(await metricsOf(service)).toEqual(['service_releases_unusable 0'])
    })
  })

  describe('a release that can not be decided on', () => {
    test('is named with why and since when, while such runs are of the last 7 days', async () => {
      const { service, live, newest } = await twoInOrder()
      const unusable = (release_id: string, run_id: string, hours: number, more: object) =>
        eventOf({ release_id, run_id, at: NOON + hours * HOUR_MS + 60_000, ...more })
      await ingest(service, [
        unusable(live, 's1', -30, { agent_id: 'bto' }),
        unusable(live, 's2', -3, { agent_id: 'bto' }),
        unusable(live, 's3', -2, { others: [{ model: 'm9', tokens: [1, 1, 0] }] }),
        unusable(newest, 's4', -1, { model: 'm8' }),
        // Of what nobody decides on nothing is said.
        unusable(newest, 's5', -1, { model: 'm8', environment: 'dev' }),
      ])
      const [place] = await boardOf(service)
      const why = {
        live: 'runs: 2 of agent bto, 1 of model m9, which has no price',
        newest: 'runs: 1 of model m8, which has no price',
      }
      expect(place.promoted.unusable).toEqual({ since: at(-30), last: at(-1), because: why.live })
      expect(place.newest_release.unusable).toEqual({ since: at(-1), last: at(0), because: why.newest })
      const way = (last: string): string =>
        `a window that begins at ${last} or later has none, and a rollback can leave few out (--exclude-unusable)`
      expect(await warningsOf(service)).toEqual([
        {
          warning: true,
          detail:
            `${live} (bot in local) can't be decided on since ${at(-30)}: ${why.live}; ${way(at(-1))}; ` +
            `${newest} (bot in local) can't be decided on since ${at(-1)}: ${why.newest}; ${way(at(0))}`,
        },
      ])
      expect(await metricsOf(service)).toEqual([
        'service_releases_unusable 2',
        `service_release_unusable_since_seconds{release_id="${live}"} ${(NOON - 30 * HOUR_MS) / 1000}`,
        `service_release_unusable_since_seconds{release_id="${newest}"} ${(NOON - HOUR_MS) / 1000}`,
      ])
      service.clock.now += 7 * 24 * HOUR_MS
      expect(await warningsOf(service)).toEqual([])
      expect(await metricsOf(service)).toEqual(['service_releases_unusable 0'])
      expect((await boardOf(service))[0].promoted).not.toHaveProperty('unusable')
    })

    test('is named no longer when its table has the model, or the policy leaves such runs out of the cost', async () => {
      const { service, newest } = await twoInOrder()
      await ingest(service, [eventOf({ release_id: newest, run_id: 's', model: 'm8' })])
      expect(await warningsOf(service)).toHaveLength(1)
      await setPolicy(service, { overrides: [{ agent_id: 'bot', unpriced: 'exclude' }] })
      expect(await warningsOf(service)).toEqual([])
      await setPolicy(service, {})
      expect(await warningsOf(service)).toHaveLength(1)
      const table = { ...PRICES, entries: [...PRICES.entries, { ...PRICES.entries[0]!, model: 'm8' }] }
      await ok(service.call('POST /v1/pricing', { body: { table, replace: true, reason: 'more' } }))
      expect(await warningsOf(service)).toEqual([])
    })

    test('may lack its whole price table', async () => {
      const service = await makeService()
      const release = await register(service)
      await ok(promote(service, release))
      const [place] = await boardOf(service)
      const because = 'its price table acme/v1 is not imported'
      expect(place.promoted.unusable).toEqual({ since: at(0), last: null, because })
      expect(place.newest_release).toMatchObject({ unpriced: true })
      expect(place.newest_release).not.toHaveProperty('unusable')
      expect(await warningsOf(service)).toEqual([
        {
          warning: true,
          detail: `${release} (bot in local) can't be decided on since ${at(0)}: ${because}; import it with \`svc pricing import PATH\``,
        },
      ])
    })

    test('is shown on the board to whom its agent and environment are for', async () => {
      const { service, live } = await twoInOrder()
      await ingest(service, [eventOf({ release_id: live, run_id: 's', agent_id: 'bto', at: NOON })])
      const own = bearing(service, await grant(service, 'own', { role: 'read', agents: ['bot'] }))
      // Of the hour that is not over nothing is known beyond now.
      const because = 'runs: 1 of agent bto'
      expect((await boardOf(own))[0].promoted.unusable).toEqual({
        since: at(0),
        last: at(0),
        because,
      })
      const other = bearing(service, await grant(service, 'other', { role: 'read', agents: ['other'] }))
      expect(await boardOf(other)).toEqual([])
    })
  })
}
