import { describe, expect, test } from 'vitest'
import { seededRandom } from '../../../../src/base/numbers.ts'
import { randomLog } from '../../../support/databases/random_log.ts'
import { scaled } from '../../../support/scale.ts'
import { importPrices, register } from '../../../support/services/builders.ts'
import { ok } from '../../../support/services/requests.ts'
import { NOON, type MakeService, type TestService } from '../../../support/services/service.ts'

const LOGS = scaled(1, 100)
const EVENTS = scaled(100, 300)
const WINDOWS = scaled(['5h', '30h', '4d'], ['5h', '24h', '30h', '2d', '4d'])

/** What the gate keeps of whole hours from one question to the next never shows. */
export function gateEquivalence(makeService: MakeService): void {
  describe('a gate that is asked again and again', () => {
    for (let seed = 1; seed <= LOGS; seed++) {
      test(`compares as a diff of the same does, on random log ${seed}`, async () => {
        const random = seededRandom(seed)
        const service = await makeService()
        await importPrices(service)
        const releases = [await register(service), await register(service, { model: 'm2' })]
        const log = randomLog(random, releases, EVENTS)
        for (let start = 0; start < EVENTS;) {
          const end = start + 1 + Math.floor(random() * 60)
          const events = log.slice(start, end).map(event => event.json)
          await ok(service.call('POST /v1/events', { body: { events } }))
          start = end
          for (const window of WINDOWS) {
            expect(await answersOf(service, releases, window)).toEqual(
              await compared(service, releases, window),
            )
          }
          // Within the hour, and into the next one.
          service.clock.now = NOON + Math.floor(random() * 7_200_000)
        }
      })
    }
  })
}

type Pair = readonly string[]

async function answersOf(
  service: TestService,
  [baseline, candidate]: Pair,
  window: string,
): Promise<unknown> {
  const query = { release_id: candidate!, baseline_release_id: baseline!, window }
  return figures(await ok(service.call('GET /v1/gate/bot/local', { query })))
}

async function compared(service: TestService, [baseline, candidate]: Pair, window: string): Promise<unknown> {
  const body = {
    baseline_release_id: baseline,
    candidate_release_id: candidate,
    environment: 'local',
    window,
  }
  return figures(await ok(service.call('POST /v1/diff', { body })))
}

/** The statistics warn of the number of checks, which differs by endpoint. */
function figures({ samples, metrics, statistics }: Record<string, any>): unknown {
  const { segment_regressions: _ofDiffs, ...own } = statistics
  return {
    samples: [samples.baseline_runs, samples.candidate_runs],
    metrics,
    statistics: { ...own, warnings: [] },
  }
}
