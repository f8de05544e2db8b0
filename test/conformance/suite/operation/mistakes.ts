import { describe, expect, test } from 'vitest'
import { eventOf, register, releaseOf, twoReleases } from '../../../support/services/builders.ts'
import {
  actionsOf,
  decision,
  ok,
  pointerOf,
  promote,
  promotedBaseline,
  refusal,
  setPolicy,
  unprocessableAt,
} from '../../../support/services/requests.ts'
import { type MakeService, NOON, type TestService } from '../../../support/services/service.ts'

/** Likely mistakes that the contract lets pass: answers warn of them, and strict workspaces refuse them. */
export function mistakesContract(makeService: MakeService): void {
  const strictly = (): Promise<TestService> => makeService({ workspace: { strict: true } })
  const send = (service: TestService, events: unknown) =>
    service.call('POST /v1/events', { body: { events } })

  describe('an unknown field of a run event', () => {
    const slip = (run_id: string, release_id: string) => ({
      ...eventOf({ release_id, run_id }),
      metrics: { sucess: false },
      latency_ms: 5,
      usage: {
        model: { provider: 'acme', model: 'm1', input_tokens: 1, output_tokens: 1 },
        tools: [{ tool_name: 'search', count: 2 }],
      },
    })

    test('is counted and named, with the one that was meant', async () => {
      const service = await makeService()
      const release = await register(service)
      const { inserted, warnings } = await ok(send(service, [slip('r1', release), slip('r2', release)]))
      expect(inserted).toBe(2)
      expect(warnings).toEqual([
        'metrics.sucess is not a field of a run event: dropped from 2 events (first: run_id "r1"); ' +
          'did you mean metrics.success?',
        'usage.tools[].count is not a field of a run event: dropped from 2 events (first: run_id "r1")',
        'latency_ms is not a field of a run event: dropped from 2 events (first: run_id "r1"); ' +
          'did you mean metrics.latency_ms?',
      ])
    })

    test('is refused where the workspace is strict, and nothing is stored', async () => {
      const service = await strictly()
      const release = await register(service)
      const events = [eventOf({ release_id: release, run_id: 'r1' }), slip('r2', release)]
      expect(await refusal(send(service, events), 400)).toBe(
        'Invalid RunEvent: events[1] (run_id "r2") metrics.sucess is not a field of a run event; ' +
          'did you mean metrics.success?',
      )
      expect(await ok(send(service, events.slice(0, 1)))).toEqual({ inserted: 1 })
    })

    test('labels may have any name', async () => {
      const service = await strictly()
      const event = {
        ...eventOf({ release_id: await register(service), run_id: 'r1' }),
        labels: { sucess: 'no' },
      }
      expect(await ok(send(service, [event]))).toEqual({ inserted: 1 })
    })

    test('that nobody can have meant is cut, and only the first are named', async () => {
      const service = await makeService()
      const event = eventOf({ release_id: await register(service), run_id: 'r1' })
      const odd = Object.fromEntries(
        Array.from({ length: 500 }, (_, index) => [`${'x'.repeat(300)}${index}`, 1]),
      )
      const { warnings } = await ok(send(service, [{ ...event, ...odd }]))
      expect(warnings.length).toBeLessThan(25)
      expect(Math.max(...warnings.map((text: string) => text.length))).toBeLessThan(300)
    })
  })

  describe('an event of a release that is not registered', () => {
    test('is stored, and the release named', async () => {
      const service = await makeService()
      const release = await register(service)
      const events = [
        eventOf({ release_id: release, run_id: 'r1' }),
        eventOf({ release_id: 'rel_x', run_id: 'r2' }),
      ]
      const answer = await ok(send(service, events))
      expect(answer).toEqual({
        inserted: 2,
        warnings: ['release "rel_x" is not registered, so no diff shows its events'],
      })
      // Also when the registered one is known already.
      expect((await ok(send(service, events))).warnings).toEqual(answer.warnings)
    })

    test('is refused where the workspace is strict, and nothing is stored', async () => {
      const service = await strictly()
      const release = await register(service)
      const good = eventOf({ release_id: release, run_id: 'r1' })
      const detail = await refusal(send(service, [good, eventOf({ release_id: 'rel_x', run_id: 'r2' })]), 400)
      expect(detail).toMatch(/release "rel_x" is not registered.*strict.*Nothing was stored/)
      expect(await ok(send(service, [good]))).toEqual({ inserted: 1 })
    })
  })

  describe('an event of another agent than its release is of', () => {
    test('is stored, and the agents named', async () => {
      const service = await makeService()
      const release_id = await register(service)
      const events = ['r1', 'r2', 'r3'].map(run_id => eventOf({ release_id, run_id }))
      const mixed = [events[0]!, ...events.slice(1).map(event => ({ ...event, agent_id: 'typo' }))]
      expect(await ok(send(service, mixed))).toEqual({
        inserted: 3,
        warnings: [
          `release "${release_id}" is of "bot", but 2 events name agent "typo" (first: run_id "r2"): ` +
            'a diff refuses a window that has both',
        ],
      })
    })

    test('is refused where the workspace is strict, and nothing is stored', async () => {
      const service = await strictly()
      const good = eventOf({ release_id: await register(service), run_id: 'r1' })
      const detail = await refusal(send(service, [good, { ...good, run_id: 'r2', agent_id: 'typo' }]), 400)
      expect(detail).toMatch(/1 event names agent "typo" \(first: run_id "r2"\).*strict.*Nothing was stored/)
      expect(await ok(send(service, [good]))).toEqual({ inserted: 1 })
    })
  })

  test('an event of a time that lies ahead is told of, also where the workspace is strict', async () => {
    const service = await strictly()
    const release_id = await register(service)
    const [soon, late] = [9, 300].map(ahead =>
      eventOf({ release_id, run_id: `in ${ahead} minutes`, at: NOON + ahead * 60_000 }),
    )
    const { inserted, warnings } = await ok(send(service, [soon, late]))
    expect(inserted).toBe(2)
    expect(warnings).toEqual([
      '1 event lies ahead of the service\'s clock (first: run_id "in 300 minutes" at 2026-01-31T17:00:00.000Z): ' +
        'no window contains a run before its time; is its time zone wrong?',
    ])
  })

  test('an event of a time long past is told of, as is a first token after the end', async () => {
    const service = await makeService()
    const release_id = await register(service)
    const { inserted, warnings } = await ok(
      send(service, [
        eventOf({ release_id, run_id: 'old', at: Date.parse('2020-01-01') }),
        eventOf({ release_id, run_id: 'archived', at: NOON - 364 * 86_400_000 }),
        eventOf({ release_id, run_id: 'late', latency: 100, ttft: 101 }),
        eventOf({ release_id, run_id: 'whole', latency: 100, ttft: 100 }),
        eventOf({ release_id, run_id: 'unknown', latency: null, ttft: 100 }),
      ]),
    )
    expect(inserted).toBe(5)
    expect(warnings).toEqual([
      '1 event is more than a year old (first: run_id "old" at 2020-01-01T00:00:00.000Z): is the unit of its time right?',
      '1 event has a ttft_ms above latency_ms (first: run_id "late"): is it in milliseconds from the start of the run?',
    ])
  })

  describe('an event whose run_id is stored', () => {
    test('with the same content is only counted', async () => {
      const service = await makeService()
      const event = eventOf({ release_id: await register(service), run_id: 'r1' })
      await ok(send(service, [event]))
      expect(await ok(send(service, [event]))).toEqual({ inserted: 0, skipped: 1 })
    })

    test('with other content is named, with the release that the stored one counts for', async () => {
      const service = await makeService()
      const release = await register(service)
      await ok(send(service, [eventOf({ release_id: 'rel_typo', run_id: 'r1' })]))
      const corrected = ['r1', 'r2'].map(run_id => eventOf({ release_id: release, run_id }))
      expect(await ok(send(service, corrected))).toEqual({
        inserted: 1,
        skipped: 1,
        warnings: [
          '1 event was skipped whose run_id is stored with other content: "r1" (release rel_typo); ' +
            'send a corrected event with a new run_id',
        ],
      })
    })
  })

  describe('an unknown field of a release', () => {
    const artifact = releaseOf()
    const slip = {
      ...artifact,
      spec: { ...artifact.spec, runtime: { ...artifact.spec.runtime, temprature: 0.2 } },
    }
    const registering = (service: TestService) =>
      service.call('POST /v1/releases', { body: { artifact: slip, checksum: 'a'.repeat(64) } })

    test('is kept and named', async () => {
      const service = await makeService()
      const { warnings, release_id } = await ok(registering(service))
      expect(warnings[0]).toBe(
        'spec.runtime.temprature is not a field of a release: it is stored, but nothing reads it; ' +
          'did you mean spec.runtime.temperature?',
      )
      const { artifact_json } = await ok(service.call(`GET /v1/releases/${release_id}`))
      expect(artifact_json).toEqual(slip)
    })

    test('is refused where the workspace is strict', async () => {
      const service = await strictly()
      expect(await unprocessableAt(registering(service))).toEqual([
        ['body', 'artifact', 'spec', 'runtime', 'temprature'],
      ])
      expect((await ok(service.call('GET /v1/releases'))).releases).toEqual([])
    })
  })

  describe('a limit on what the candidate has no data for', () => {
    const LIMITS = { max_latency_ms: 100, require_high_diff_confidence: false }
    const text = 'max_latency_ms cannot be checked: the candidate has no data for it'

    test('is told, and blocks nothing', async () => {
      const service = await makeService()
      const { baseline, candidate } = await twoReleases(service, 0)
      await setPolicy(service, LIMITS)
      await ok(promote(service, baseline))
      const { policy } = await ok(promote(service, candidate))
      expect(policy).toMatchObject({ passed: true, reasons: [], warnings: [text] })
    })

    test('blocks where the workspace is strict, and the evidence says the same again', async () => {
      const service = await strictly()
      const { baseline, candidate } = await twoReleases(service, 0)
      await setPolicy(service, LIMITS)
      await ok(promote(service, baseline, { first: true }))
      const { status, body } = await promote(service, candidate)
      expect(status).toBe(409)
      expect(body.detail.outcome.policy).toEqual({
        passed: false,
        result: 'not_yet',
        reasons: [text],
        evaluated_at: expect.any(String),
      })
      const doctor = await ok(service.call('GET /v1/doctor'))
      expect(doctor).toMatchObject({ ok: true })
      expect(await pointerOf(service)).toBe(baseline)
    })
  })

  describe('a first promotion', () => {
    const inPorod = (service: TestService, release: string, more = {}) =>
      service.call('POST /v1/promote', { body: { ...decision(release), environment: 'porod', ...more } })

    test('says where the release belongs, and where its agent is promoted', async () => {
      const service = await makeService()
      const release = await register(service)
      await ok(service.call('POST /v1/promote', { body: { ...decision(release), environment: 'prod' } }))
      const { policy } = await ok(inPorod(service, release))
      expect(policy.warnings).toEqual([
        'bot has never had a live release in porod: nothing is compared, and no policy is evaluated. ' +
          'The release was registered for local. The agent is promoted in prod. Did you mean prod?',
      ])
    })

    test('has to be asked for as such where the workspace is strict', async () => {
      const service = await strictly()
      const release = await register(service)
      expect(await refusal(inPorod(service, release), 400)).toMatch(
        /never had a live release in porod.*first: true/,
      )
      expect(await actionsOf(service)).toEqual([])
      await ok(inPorod(service, release, { first: true }))
      expect(await actionsOf(service)).toHaveLength(1)
    })
  })

  test('a promotion of what is live says so, and leaves the date of its promotion', async () => {
    const { service, baseline } = await promotedBaseline(makeService)
    await setPolicy(service, { require_high_diff_confidence: false })
    const [before] = (await ok(service.call('GET /v1/board'))).board
    service.clock.now += 60_000
    const outcome = await ok(promote(service, baseline))
    expect(outcome).toMatchObject({ promoted_pointer_changed: false, policy: { passed: true } })
    expect(outcome.policy.warnings).toEqual(['This release is already live in local, so nothing changes.'])
    const [after] = (await ok(service.call('GET /v1/board'))).board
    expect(after.promoted).toEqual(before.promoted)
    expect(after.last_action.action_id).toBe(outcome.action_id)
  })

  describe('a query parameter', () => {
    test('may be env or environment, whichever the endpoint declares', async () => {
      const { service, baseline } = await promotedBaseline(makeService)
      const actions = async (query: Record<string, string>) =>
        (await ok(service.call('GET /v1/actions', { query }))).actions.length
      expect(await actions({ environment: 'local' })).toBe(1)
      expect(await actions({ environment: 'prod' })).toBe(0)
      const runs = await ok(
        service.call('GET /v1/runs', { query: { release_id: baseline, window: '1h', env: 'prod' } }),
      )
      expect(runs.filters.environment).toBe('prod')
    })

    test('that the endpoint does not have is named in a header', async () => {
      const service = await makeService()
      const answer = await service.call('GET /v1/actions', { query: { enviroment: 'prod', 'a\nb': '1' } })
      expect(answer.status).toBe(200)
      expect(answer.headers.get('x-service-warning')).toBe(
        'enviroment is not a parameter of this request; did you mean env?; a_b is not a parameter of this request',
      )
      expect((await service.call('GET /v1/actions')).headers.get('x-service-warning')).toBeNull()
    })

    test('that the endpoint does not have is refused where the workspace is strict', async () => {
      const service = await strictly()
      const request = service.call('GET /v1/actions', { query: { enviroment: 'prod' } })
      expect(await unprocessableAt(request)).toEqual([['query', 'enviroment']])
      await ok(service.call('GET /health', { query: { probe: '1' } }))
    })
  })
}
