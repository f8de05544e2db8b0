import { describe, expect, test } from 'vitest'
import { type TestSpan, jsonExport } from '../../../support/otlp/exports.ts'
import { PRICES, eventOf, importPrices, register } from '../../../support/services/builders.ts'
import { bearing, grant } from '../../../support/services/credentials.ts'
import { ok, refusal, setPolicy } from '../../../support/services/requests.ts'
import type { MakeService, TestService } from '../../../support/services/service.ts'
import { resourceOf, send as sendSpans } from './traces.ts'

/** Events that would keep a decision from being made, or that no query would find: answers warn their senders. */
export function unusableEventsContract(makeService: MakeService): void {
  const send = (service: TestService, events: readonly unknown[]) =>
    service.call('POST /v1/events', { body: { events } })
  const priced = async (strict = false): Promise<{ service: TestService; release_id: string }> => {
    const service = await makeService({ workspace: { strict } })
    await importPrices(service)
    return { service, release_id: await register(service) }
  }
  const unpriced = (release_id: string, which: string, run: string): string =>
    `release "${release_id}": acme/v1 has no price for "m9", which ${which} used (first: run_id "${run}"): a diff ` +
    'refuses a window that has such runs; add the model and import that with ' +
    '`svc pricing import PATH --replace --reason WHY`'

  describe('an event of a model without a price', () => {
    test('is stored, and the model and the table are named', async () => {
      const { service, release_id } = await priced()
      const events = [
        eventOf({ release_id, run_id: 'r1' }),
        eventOf({ release_id, run_id: 'r2', model: 'm9' }),
        eventOf({ release_id, run_id: 'r3', others: [{ model: 'm9', tokens: [1, 1, 0] }] }),
        eventOf({ release_id, run_id: 'r4', model: 'm9', type: 'run_start' }),
      ]
      expect(await ok(send(service, events))).toEqual({
        inserted: 4,
        warnings: [unpriced(release_id, '3 events', 'r2')],
      })
    })

    test('is told of until the table has it, and taken without a word from then on', async () => {
      const { service, release_id } = await priced()
      const one = (run_id: string) => send(service, [eventOf({ release_id, run_id, model: 'm9' })])
      for (const run of ['r1', 'r2']) {
        expect((await ok(one(run))).warnings).toEqual([unpriced(release_id, '1 event', run)])
      }
      const entries = [...PRICES.entries, { ...PRICES.entries[0]!, model: 'm9' }]
      const replace = (table: object) =>
        ok(service.call('POST /v1/pricing', { body: { table, replace: true, reason: 'more models' } }))
      await replace({ ...PRICES, entries })
      expect(await ok(one('r3'))).toEqual({ inserted: 1 })
      // Another server may take it out again.
      await replace(PRICES)
      service.clock.now += 61_000
      expect((await ok(one('r4'))).warnings).toHaveLength(1)
    })

    test('is refused where the workspace is strict, and nothing is stored', async () => {
      const { service, release_id } = await priced(true)
      const good = eventOf({ release_id, run_id: 'r1' })
      const detail = await refusal(
        send(service, [good, { ...good, ...eventOf({ release_id, run_id: 'r2', model: 'm9' }) }]),
        400,
      )
      expect(detail).toBe(
        `Invalid RunEvent: ${unpriced(release_id, '1 event', 'r2')} (this workspace is strict). Nothing was stored.`,
      )
      expect(await ok(send(service, [good]))).toEqual({ inserted: 1 })
    })

    test("is no slip where the policy leaves such runs out of the cost, unless it is the release's own model", async () => {
      const { service, release_id } = await priced(true)
      await setPolicy(service, { overrides: [{ environment: 'local', unpriced: 'exclude' }] })
      expect(await ok(send(service, [eventOf({ release_id, run_id: 'r1', model: 'm9' })]))).toEqual({
        inserted: 1,
      })
      const elsewhere = eventOf({ release_id, run_id: 'r2', model: 'm9', environment: 'prod' })
      expect(await refusal(send(service, [elsewhere]), 400)).toMatch(/has no price for "m9"/)
      const own = await register(service, { version: '2', model: 'm9' })
      const event = eventOf({ release_id: own, run_id: 'r3', model: 'm9' })
      expect(await refusal(send(service, [event]), 400)).toMatch(/has no price for "m9"/)
    })

    test('of a release whose table is not imported is taken: the registration has said so', async () => {
      const service = await makeService()
      const release_id = await register(service)
      expect(await ok(send(service, [eventOf({ release_id, run_id: 'r1' })]))).toEqual({ inserted: 1 })
    })

    test('names no table to who may only send', async () => {
      const { service, release_id } = await priced()
      const sender = bearing(service, await grant(service, 'sender', { role: 'ingest' }))
      const { warnings } = await ok(send(sender, [eventOf({ release_id, run_id: 'r1', model: 'm9' })]))
      expect(warnings).toEqual([expect.stringContaining('its price table has no price for "m9"')])
    })

    test('is named for twenty models one by one, and counted for all others', async () => {
      const { service, release_id } = await priced()
      const events = Array.from({ length: 25 }, (_, n) =>
        eventOf({ release_id, run_id: `r${n}`, model: `x${n}` }),
      )
      const { warnings } = await ok(send(service, events))
      expect(warnings).toHaveLength(21)
      expect(warnings.at(-1)).toBe('5 further models have no price either')
    })
  })

  describe('an event in an environment that may be mistyped', () => {
    const inPlace = (release_id: string, run_id: string, environment: string) =>
      eventOf({ release_id, run_id, environment })

    test('is stored, and the one named that was probably meant', async () => {
      const service = await makeService()
      const release_id = await register(service)
      await ok(
        service.call('POST /v1/promote', {
          body: { release_id, environment: 'prod', window: '1h', reason: 'ready' },
        }),
      )
      const slip = () =>
        send(service, [
          inPlace(release_id, 'r1', 'prod'),
          inPlace(release_id, 'r2', 'prdo'),
          inPlace(release_id, 'r3', 'prdo'),
        ])
      const expected = [
        '2 events name environment "prdo" (first: run_id "r2"), where nothing is registered or promoted; ' +
          'did you mean prod?',
      ]
      expect((await ok(slip())).warnings).toEqual(expected)
      // Also when there are runs in it.
      expect((await ok(slip())).warnings).toEqual(expected)
    })

    test('is no slip where nothing has a similar name, or something is registered for it', async () => {
      const { service, release_id } = await priced()
      for (const [run, place] of [
        ['r1', 'local'],
        ['r2', 'staging'],
      ] as const) {
        expect(await ok(send(service, [inPlace(release_id, run, place)]))).toEqual({ inserted: 1 })
      }
      expect((await ok(send(service, [inPlace(release_id, 'r3', 'locale')]))).warnings).toHaveLength(1)
      const body = { artifact: (await ok(service.call(`GET /v1/releases/${release_id}`))).artifact_json }
      await ok(
        service.call('POST /v1/releases', {
          body: { ...body, checksum: 'b'.repeat(64), environment: 'locale' },
        }),
      )
      expect(await ok(send(service, [inPlace(release_id, 'r4', 'locale')]))).toEqual({ inserted: 1 })
    })

    test('names no environment that its sender may not know', async () => {
      const service = await makeService()
      const release_id = await register(service)
      const token = await grant(service, 'sender', { role: 'ingest', environments: ['locale'] })
      expect(await ok(send(bearing(service, token), [inPlace(release_id, 'r1', 'locale')]))).toEqual({
        inserted: 1,
      })
    })

    test('is told of, not refused, where the workspace is strict', async () => {
      const { service, release_id } = await priced(true)
      expect(await ok(send(service, [inPlace(release_id, 'r1', 'locla')]))).toMatchObject({
        inserted: 1,
        warnings: [expect.stringMatching(/did you mean local\?$/)],
      })
    })
  })

  describe('spans that make such an event', () => {
    /** A run that failed with its call, which names a model: it has no tokens, so it counts for the release's own model. */
    const failedRun = (model: string): TestSpan[] => [
      { id: 1, failed: true, attributes: { 'gen_ai.operation.name': 'invoke_agent' } },
      {
        id: 2,
        parent: 1,
        failed: true,
        attributes: { 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': model },
      },
    ]
    const exportOf = (environment = 'local') => ({
      attributes: { ...resourceOf('1'), 'deployment.environment.name': environment },
      spans: failedRun('m9'),
    })
    const makeTraced = async (strict: boolean): Promise<TestService> => {
      const service = await makeService({ workspace: { strict } })
      await importPrices(service)
      await register(service, { model: 'm9' })
      return service
    }
    const stored = async (service: TestService): Promise<number> =>
      (await ok(service.call('GET /v1/metrics'))).counters.run_events_total

    test('are answered with a warning beside no rejected span', async () => {
      const service = await makeTraced(false)
      const { status, body } = await sendSpans(service, jsonExport(exportOf()))
      expect({ status, body }).toEqual({
        status: 200,
        body: {
          partialSuccess: {
            rejectedSpans: '0',
            errorMessage: expect.stringMatching(
              /^Warning: release "rel_\w+": acme\/v1 has no price for "m9", which 1 event/,
            ),
          },
        },
      })
      expect(await stored(service)).toBe(1)
    })

    test('are rejected where the workspace is strict, and make no run', async () => {
      const service = await makeTraced(true)
      const { status, body } = await sendSpans(service, jsonExport(exportOf()))
      expect({ status, body }).toEqual({
        status: 200,
        body: {
          partialSuccess: {
            rejectedSpans: '1',
            errorMessage: expect.stringMatching(/1 × release "rel_\w+": .* \(this workspace is strict\)$/),
          },
        },
      })
      expect(await stored(service)).toBe(0)
    })

    test('in an environment that may be mistyped are answered with the hint', async () => {
      const service = await makeTraced(false)
      const { body } = await sendSpans(service, jsonExport(exportOf('lcoal')))
      expect(body.partialSuccess.errorMessage).toMatch(
        /; Warning: 1 event names environment "lcoal" .*did you mean local\?$/,
      )
    })
  })
}
