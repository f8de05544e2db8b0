import { describe, expect, test } from 'vitest'
import { eventOf, importPrices, register } from '../../../support/services/builders.ts'
import { decision, failedChecks, ingest, ok, setPolicy } from '../../../support/services/requests.ts'
import { DAY_MS, HOUR_MS, isoTime } from '../../../../src/base/time.ts'
import { families as liveFamilies, noteFindings } from '../../../../src/features/live/findings.ts'
import { type MakeService, NOON, type TestService, sameLedger } from '../../../support/services/service.ts'

const MINUTE = 60_000

/** GET /v1/live: what is live, judged by its own newest runs. */
export function liveContract(makeService: MakeService): void {
  describe('what is live', () => {
    test('and fails in the last minutes is worse, with the figures', async () => {
      const { service, release } = await liveRelease(makeService, 60, index => index % 3 > 0)
      await setPolicy(service, { max_error_rate: 0.03 })
      const { live, judged_at, truncated } = await ok(service.call('GET /v1/live'))
      expect([judged_at, truncated]).toEqual([new Date(NOON).toISOString(), false])
      expect(live).toEqual([
        {
          agent_id: 'bot',
          environment: 'local',
          release_id: release,
          version: '1',
          previous_release_id: null,
          state: 'worse',
          runs_last_hour: 60,
          runs_last_day: 60,
          broken: [
            {
              limit_key: 'max_error_rate',
              limit: 0.03,
              minutes: expect.any(Number),
              runs: expect.any(Number),
              value: expect.closeTo(1 / 3, 1),
              at_least: expect.any(Number),
              text: expect.stringMatching(
                /^error rate \d\d\.\d % of \d+ runs in the last \d+ min, at least \d+\.\d %; max_error_rate is 3\.0 %$/,
              ),
            },
          ],
          silence: null,
          other_model: null,
          not_checked: [
            'no watch',
            'the policy sets no max_cost_per_run_usd, max_latency_ms',
            'nothing to compare with: it is the first live release, or was rolled back to',
          ],
        },
      ])
      expect(live[0]!.broken[0]!.at_least).toBeGreaterThan(0.03)
    })

    test.each([
      [{ max_error_rate: 0.03 }, true, 60, 'nothing_found'],
      [{ max_latency_ms: 10 }, true, 60, 'worse'],
      [{ max_error_rate: 0.03 }, false, 9, 'nothing_found'],
      [{ max_error_rate: 0.03 }, true, 0, 'no_runs'],
      [{ max_cost_increase_pct: 0.1 }, false, 60, 'no_limits'],
    ] as const)('under %j, success %j in %j runs, is %s', async (policy, success, runs, state) => {
      const { service } = await liveRelease(makeService, runs, () => success)
      await setPolicy(service, policy)
      const { live } = await ok(service.call('GET /v1/live', { query: { agent_id: 'bot' } }))
      expect(live).toMatchObject([{ state }])
      expect((await ok(service.call('GET /v1/live', { query: { agent_id: 'other' } }))).live).toEqual([])
    })

    test('is judged once a minute for all callers, and anew where a limit has changed', async () => {
      const { service, release } = await liveRelease(makeService, 60, () => true)
      await setPolicy(service, { max_error_rate: 0.03 })
      const judged = async () => {
        const { live, judged_at } = await ok(service.call('GET /v1/live'))
        return [live[0]!.state, judged_at]
      }
      const first = ['nothing_found', new Date(NOON).toISOString()]
      expect(await judged()).toEqual(first)
      const failed = Array.from({ length: 60 }, (_, index) =>
        eventOf({ run_id: `f${index}`, release_id: release, at: NOON - 1000, success: false }),
      )
      await ingest(service, failed)
      service.clock.now += MINUTE - 1
      expect(await judged()).toEqual(first)
      service.clock.now += 1
      const second = new Date(NOON + MINUTE).toISOString()
      expect(await judged()).toEqual(['worse', second])
      service.clock.now += 1
      await setPolicy(service, { max_error_rate: 0.9 })
      expect(await judged()).toEqual(['nothing_found', new Date(NOON + MINUTE + 1).toISOString()])
    })

    test('names what was live before it as it is now, whatever judgement is kept', async () => {
      const { service, release } = await liveRelease(makeService, 0, () => true)
      await importPrices(service)
      const next = await register(service, { version: '2' })
      const before = async () => (await ok(service.call('GET /v1/live'))).live[0].previous_release_id
      expect(await before()).toBeNull()
      await setPolicy(service, { require_high_diff_confidence: false })
      await ok(service.call('POST /v1/promote', { body: decision(next) }))
      expect(await before()).toBe(release)
      // A promotion that is sent again changes nothing.
      await ok(service.call('POST /v1/promote', { body: decision(next) }))
      expect(await before()).toBe(release)
      await ok(service.call('POST /v1/rollback', { body: decision(release) }))
      // What was just rolled back is not what to roll back to.
      expect(await before()).toBeNull()
    })

    test('and breaks a limit is in the audit log once, until it has kept the limit for an hour', async () => {
      const { service, release } = await liveRelease(makeService, 60, () => false)
      await setPolicy(service, { max_error_rate: 0.03 })
      const other = await sameLedger(service)
      const noted = async () => {
        await Promise.all([service, other].map(({ context }) => noteFindings(context, batch => batch())))
        const { entries } = await ok(service.call('GET /v1/audit', { query: { limit: 100 } }))
        const kinds = entries.map(({ kind }: { kind: string }) => kind)
        return kinds.filter((kind: string) => kind.startsWith('live.')).toReversed()
      }
      const metrics = async () => {
        const families = await liveFamilies(service)
        return families.map(({ samples }) => samples.map(({ labels, value }) => [labels, value]))
      }
      expect(await noted()).toEqual(['live.worse'])
      expect(await metrics()).toEqual([
        [[{}, 0]],
        [[{}, 0]],
        [[{}, 1]],
        [[{ agent_id: 'bot', environment: 'local', limit: 'max_error_rate' }, NOON / 1000]],
      ])
      const later = async (minutes: number, success: boolean): Promise<string[]> => {
        other.clock.now = service.clock.now += minutes * MINUTE
        const events = Array.from({ length: 40 }, (_, index) => {
          const at = service.clock.now - index * MINUTE - 1
          return eventOf({ run_id: `${at}`, release_id: release, at, success })
        })
        await ingest(service, events)
        return noted()
      }
      expect(await later(6, false)).toEqual(['live.worse'])
      expect(await later(50, true)).toEqual(['live.worse'])
      expect(await later(60, true)).toEqual(['live.worse', 'live.recovered'])
      expect(await metrics()).toEqual([[[{}, 0]], [[{}, 0]], [[{}, 0]]])
      const [entry] = (await ok(service.call('GET /v1/audit', { query: { kind: 'live.recovered' } }))).entries
      expect(entry).toMatchObject({
        actor: 'service',
        reason: 'max_error_rate is no longer broken',
        details: { agent_id: 'bot', environment: 'local', release_id: release, since: isoTime(NOON) },
      })
      expect(await later(6, false)).toEqual(['live.worse', 'live.recovered', 'live.worse'])
      expect(await failedChecks(service, true)).toEqual([])
    })

    test('is said to have had the runs of a whole hour, whatever minute it is', async () => {
      const { service, release } = await liveRelease(makeService, 0, () => true)
      await setPolicy(service, { max_error_rate: 0.03 })
      await ingest(service, [eventOf({ run_id: 'one', release_id: release, at: NOON + 9 * MINUTE })])
      const lastHour = async (minutes: number) => {
        service.clock.now = NOON + minutes * MINUTE + 1000
        return (await ok(service.call('GET /v1/live'))).live[0].runs_last_hour
      }
      expect([await lastHour(20), await lastHour(61), await lastHour(68), await lastHour(70)]).toEqual([
        1, 1, 1, 0,
      ])
    })

    test('and gets no run in an hour in which earlier days had many is silent, until the next run', async () => {
      const service = await makeService()
      service.clock.now = NOON - 15 * DAY_MS
      const [former, release] = [
        await register(service, { version: '1' }),
        await register(service, { version: '2' }),
      ]
      await ok(service.call('POST /v1/promote', { body: decision(former) }))
      await setPolicy(service, {})
      await importPrices(service)
      service.clock.now = NOON - HOUR_MS
      // The last Saturdays and Sundays, as today: a run in each two minutes.
      const days = [14, 13, 7, 6].flatMap(day =>
        Array.from({ length: 60 }, (_, index) => NOON - day * DAY_MS - (2 * index + 1) * MINUTE),
      )
      await ingest(
        service,
        days.map(at => eventOf({ run_id: `${at}`, release_id: former, at })),
      )
      await ok(service.call('POST /v1/promote', { body: decision(release) }))
      const found = async () => {
        await noteFindings(service.context, batch => batch())
        const [{ state, silence }] = (await ok(service.call('GET /v1/live'))).live
        const [silent] = await liveFamilies(service)
        const { entries } = await ok(service.call('GET /v1/audit', { query: { kind: 'live' } }))
        return [state, silence?.text, silent!.samples[0]!.value, entries[0]?.kind]
      }
      expect(await found()).toEqual(['no_limits', undefined, 0, undefined])
      service.clock.now = NOON
      const text = 'no run came in the last hour; these hours of 4 earlier days had 30 on average'
      expect(await found()).toEqual(['silent', text, 1, 'live.silent'])
      const [{ place }] = (await ok(service.call('GET /v1/board'))).board
      expect([place.state, place.headline]).toEqual(['worse', `2 is live, but ${text}`])
      service.clock.now += 6 * MINUTE
      await ingest(service, [
        eventOf({ run_id: 'again', release_id: release, at: service.clock.now - MINUTE }),
      ])
      expect(await found()).toEqual(['no_limits', undefined, 0, 'live.recovered'])
    })

    test('and is answered by a model that it does not declare is said, until runs came without it', async () => {
      const { service, release } = await liveRelease(makeService, 0, () => true)
      await importPrices(service)
      await setPolicy(service, { max_error_rate: 0.5 })
      const answered = async (count: number, served: string) => {
        const events = Array.from({ length: count }, (_, index) => {
          const event = eventOf({
            run_id: `${service.clock.now} ${index}`,
            release_id: release,
            at: service.clock.now - index * MINUTE - 1,
          })
          const usage = event.usage as { model: object }
          return { ...event, usage: { model: { ...usage.model, served_model: served } } }
        })
        await ingest(service, events)
        await noteFindings(service.context, batch => batch())
        const { entries } = await ok(service.call('GET /v1/audit', { query: { kind: 'live' } }))
        const [{ state, other_model }] = (await ok(service.call('GET /v1/live'))).live
        return [state, other_model?.text, entries[0]?.kind]
      }
      // A date behind the name makes no other model.
      expect(await answered(59, 'm1-2026-01-05')).toEqual(['nothing_found', undefined, undefined])
      service.clock.now += 2 * HOUR_MS
      const text = 'm9 answered 59 of 59 runs of the last hour, and the release does not declare it'
      expect(await answered(59, 'm9')).toEqual(['other_model', text, 'live.other_model'])
      const place = await ok(service.call('GET /v1/places/bot/local', {}))
      expect([place.state, place.headline, place.warnings]).toEqual([
        'quiet',
        `1 is live, but ${text}`,
        [text],
      ])
      const [{ place: short }] = (await ok(service.call('GET /v1/board'))).board
      expect(short.headline).toBe(place.headline)
      const [, others] = await liveFamilies(service)
      expect(others).toMatchObject({ name: 'service_live_other_models', samples: [{ value: 1 }] })
      service.clock.now += 2 * HOUR_MS
      expect(await answered(59, 'm1')).toEqual(['nothing_found', undefined, 'live.recovered'])
      expect(await failedChecks(service, true)).toEqual([])
    })

    test('and rose beyond a limit on a change against the release before is worse, where both can be compared', async () => {
      const service = await makeService()
      service.clock.now = NOON - 7 * HOUR_MS
      await importPrices(service)
      const [before, release] = [
        await register(service, { version: '1' }),
        await register(service, { version: '2' }),
      ]
      await ok(service.call('POST /v1/promote', { body: decision(before) }))
      const limits = { require_high_diff_confidence: false, max_latency_increase_pct: 0.2 }
      await setPolicy(service, { require_high_diff_confidence: false })
      service.clock.now = NOON - 6 * HOUR_MS
      await ok(service.call('POST /v1/promote', { body: decision(release) }))
      const live = async () => {
        const [found] = (await ok(service.call('GET /v1/live'))).live
        return [found.state, found.broken.map(({ limit_key }: { limit_key: string }) => limit_key)]
      }
      const unchecked = async () => (await ok(service.call('GET /v1/live'))).live[0].not_checked.at(-1)
      expect(await unchecked()).toBe('the policy limits no change against 1, which was live before it')
      await setPolicy(service, limits)
      service.clock.now += 1
      expect(await unchecked()).toMatch(/^latency against 1: /)
      service.clock.now = NOON
      for (const [id, latency] of [
        [before, 100],
        [release, 180],
      ] as const) {
        const events = Array.from({ length: 350 }, (_, index) =>
          eventOf({
            run_id: `${id} ${index}`,
            release_id: id,
            at: NOON - (index + 1) * MINUTE,
            latency: latency + (index % 7),
          }),
        )
        await ingest(service, events)
      }
      expect(await live()).toEqual(['worse', ['max_latency_increase_pct']])
      await noteFindings(service.context, batch => batch())
      const { entries } = await ok(service.call('GET /v1/audit', { query: { kind: 'live.worse' } }))
      expect(entries[0].reason).toMatch(
        /^latency \+\d\d\.\d % against 1 by \d+ runs, at least \+\d\d\.\d %; max_latency_increase_pct is \+20\.0 %$/,
      )
      const { state, headline } = await ok(service.call('GET /v1/places/bot/local', {}))
      expect([state, headline]).toEqual(['worse', `2 is live and breaks a limit: ${entries[0].reason}`])
      await setPolicy(service, { ...limits, max_latency_increase_pct: 2 })
      expect(await live()).toEqual(['no_limits', []])
      service.clock.now = NOON + 8 * DAY_MS
      expect(await unchecked()).toBe('it is no longer compared with 1: it is live for more than 7 days')
    })
  })
}

async function liveRelease(
  makeService: MakeService,
  runs: number,
  success: (index: number) => boolean,
): Promise<{ service: TestService; release: string }> {
  const service = await makeService()
  const release = await register(service, { version: '1' })
  await ok(service.call('POST /v1/promote', { body: decision(release) }))
  const events = Array.from({ length: runs }, (_, index) => {
    const at = NOON - (index + 1) * MINUTE + 1
    return eventOf({ run_id: `r${index}`, release_id: release, at, latency: 40, success: success(index) })
  })
  if (events.length > 0) await ingest(service, events)
  return { service, release }
}
