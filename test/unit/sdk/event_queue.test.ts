import * as fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { EventQueue, type QueueCounts, ServiceClient } from '../../../src/sdk/index.ts'
import { SAMPLE, eventsOf, fakeFetch, json, queueOn, storingService } from './support.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function expectBalanced({ logged, sent, dropped, queued }: QueueCounts): void {
  expect(sent + dropped + queued).toBe(logged)
}

describe('a queue', () => {
  test('sends what was added within an interval as one request, with ids, time and defaults', async () => {
    const { fetch, seen } = storingService()
    const { queue, problems } = queueOn(fetch)
    const ids = [queue.add({}), queue.add({ task_id: 'other', run_id: 'mine' })]
    expect(seen).toEqual([])
    expect(queue.counts).toEqual({ logged: 2, sent: 0, dropped: 0, queued: 2 })
    await vi.advanceTimersByTimeAsync(1000)
    expect(seen.map(eventsOf)).toEqual([
      [
        { ...SAMPLE, run_id: ids[0], timestamp: expect.stringMatching(/^\d{4}-.*Z$/) as string },
        { ...SAMPLE, task_id: 'other', run_id: 'mine', timestamp: expect.any(String) as string },
      ],
    ])
    expect(queue.counts).toEqual({ logged: 2, sent: 2, dropped: 0, queued: 0 })
    expect(problems).toEqual([])
    await queue.close()
  })

  test('rounds latencies, as an ingest does', async () => {
    const { fetch, seen } = storingService()
    const { queue } = queueOn(fetch)
    const latencies = [840.5, 0.2, 12, 0, null, -3.2]
    const events = latencies.map((latency_ms, index) => ({
      ...SAMPLE,
      run_id: `run-${index}`,
      metrics: { success: true, latency_ms },
    }))
    for (const event of events) queue.add(event)
    await queue.close()
    await new ServiceClient('http://service.test', { fetch }).ingest(events as never[])
    const rounded = [841, 0, 12, 0, null, -3]
    for (const request of seen) {
      expect(eventsOf(request).map(({ metrics }) => metrics)).toEqual(
        rounded.map(latency_ms => ({ success: true, latency_ms })),
      )
    }
    expect(seen).toHaveLength(2)
    expect(events[0]!.metrics.latency_ms).toBe(840.5)
  })

  test('tells each kind of warning once, whatever names and counts are in it', async () => {
    const warnings = [
      ['release "rel_1" is not registered'],
      ['release "rel_2" is not registered'],
      ['release "rel_2" is not registered', '3 events used "m9" (first: run_id "a \\" 1")'],
      ['17 events used "m8" (first: run_id "b")'],
    ]
    const { fetch } = storingService((_seen, count) =>
      json({ inserted: 1, skipped: 0, warnings: warnings[count - 1] }),
    )
    const { queue, problems } = queueOn(fetch)
    for (const _ of warnings) {
      queue.add({})
      await queue.flush()
    }
    expect(problems.map(({ kind, message }) => [kind, message])).toEqual([
      ['warned', 'Run events were stored, but: release "rel_1" is not registered'],
      ['warned', 'Run events were stored, but: 3 events used "m9" (first: run_id "a \\" 1")'],
    ])
    await queue.close()
  })

  test('sends a full batch at once', async () => {
    const { fetch, seen } = storingService()
    const { queue } = queueOn(fetch)
    for (let index = 0; index < 1200; index++) queue.add({})
    await vi.advanceTimersByTimeAsync(1)
    expect(seen.map(request => eventsOf(request).length)).toEqual([500, 500, 200])
    expect((await queue.close()).sent).toBe(1200)
  })

  test('does not send what trickles in while a request is under way one by one', async () => {
    const { fetch, seen } = storingService(() => new Promise(resolve => setTimeout(resolve, 50)))
    const { queue } = queueOn(fetch)
    const ticking = setInterval(() => void queue.add({}), 10)
    await vi.advanceTimersByTimeAsync(3100)
    clearInterval(ticking)
    expect(seen).toHaveLength(2)
    await Promise.all([queue.close(), vi.advanceTimersByTimeAsync(1000)])
    expect(queue.counts).toEqual({ logged: 310, sent: 310, dropped: 0, queued: 0 })
  })

  test('says with the next events how many runs were left out, and which of its own it had to drop', async () => {
    const { fetch, seen } = storingService()
    const { queue } = queueOn(fetch, { maxEvents: 2 })
    const good = { release_id: 'rel_1', environment: 'prod' }
    queue.countLost(good)
    queue.countLost({ ...good, release_id: 7 as never })
    for (const run_id of ['a', 'b', 'c', 'd']) queue.add({ ...good, run_id })
    queue.add({ ...good, environment: 'stage' })
    queue.add({ ...good, labels: { no_json: 1n as never } })
    expect(queue.counts).toEqual({ logged: 6, sent: 0, dropped: 4, queued: 2 })
    await queue.flush()
    expect(JSON.parse(seen[0]!.body!)).toMatchObject({
      events: [{ run_id: 'd' }, { environment: 'stage' }],
      dropped: [{ ...good, runs: 5 }],
    })
    queue.add({})
    expect(await queue.close()).toMatchObject({ sent: 3, dropped: 4 })
    expect(seen[1]!.body!).not.toContain('dropped')
  })

  test('flush and close do not wait for the interval', async () => {
    const { fetch } = storingService()
    const { queue } = queueOn(fetch, { flushIntervalMs: 3_600_000 })
    queue.add({})
    expect(await queue.flush()).toEqual({ logged: 1, sent: 1, dropped: 0, queued: 0 })
    queue.add({})
    expect(await queue.close()).toEqual({ logged: 2, sent: 2, dropped: 0, queued: 0 })
  })

  test('is closed at the end of its block', async () => {
    const { fetch, stored } = storingService()
    {
      await using queue = queueOn(fetch).queue
      queue.add({})
      expect(stored.size).toBe(0)
    }
    expect(stored.size).toBe(1)
  })

  test('drops the oldest beyond its bound, counts them, and says so once', async () => {
    const { fetch, stored } = storingService()
    const { queue, problems } = queueOn(fetch, { maxEvents: 10 })
    for (let index = 0; index < 25; index++) queue.add({ run_id: `run-${index}` })
    expect(queue.counts).toEqual({ logged: 25, sent: 0, dropped: 15, queued: 10 })
    expect(problems).toEqual([
      {
        kind: 'overflow',
        events: 1,
        message: 'More than 10 run events wait; the oldest are dropped.',
        cause: undefined,
      },
    ])
    await queue.close()
    expect([...stored]).toEqual(Array.from({ length: 10 }, (_, index) => `run-${index + 15}`))
  })

  test('keeps what the service fails to take, tells once per outage, and pauses longer each time', async () => {
    let isDown = true
    const { fetch, seen, stored } = storingService(() => (isDown ? json({ detail: 'down' }, 503) : undefined))
    const { queue, problems } = queueOn(fetch)
    queue.add({})
    await vi.advanceTimersByTimeAsync(60_000)
    const tries = seen.length
    expect(tries).toBeGreaterThan(4)
    expect(tries).toBeLessThan(15)
    expect(problems.map(({ kind }) => kind)).toEqual(['undelivered'])
    expect(problems[0]!.message).toContain('POST /v1/events: down')
    expect(queue.counts.queued).toBe(1)
    isDown = false
    await vi.advanceTimersByTimeAsync(31_000)
    expect(stored.size).toBe(1)
    isDown = true
    queue.add({})
    await vi.advanceTimersByTimeAsync(5000)
    expect(problems.map(({ kind }) => kind)).toEqual(['undelivered', 'undelivered'])
    await Promise.all([queue.close(), vi.advanceTimersByTimeAsync(6000)])
    expect(queue.counts).toEqual({ logged: 2, sent: 1, dropped: 1, queued: 0 })
  })

  test('waits as long as the service asks for', async () => {
    const { fetch, seen } = storingService((_request, count) =>
      count === 1 ? json({ detail: 'busy' }, 503, { 'retry-after': '20' }) : undefined,
    )
    const { queue } = queueOn(fetch)
    queue.add({})
    await vi.advanceTimersByTimeAsync(20_500)
    expect(seen).toHaveLength(1)
    await vi.advanceTimersByTimeAsync(1000)
    expect(seen).toHaveLength(2)
    await queue.close()
  })

  test('drops only the events that the service refuses', async () => {
    const bad = new Set(['run-7', 'run-300', 'run-301'])
    const { fetch, seen, stored } = storingService(request => {
      const odd = eventsOf(request).find(({ run_id }) => bad.has(run_id))
      return odd === undefined ? undefined : json({ detail: `Invalid RunEvent: ${odd.run_id}` }, 400)
    })
    const { queue, problems } = queueOn(fetch)
    for (let index = 0; index < 500; index++) queue.add({ run_id: `run-${index}` })
    const counts = await queue.close()
    expect(counts).toEqual({ logged: 500, sent: 497, dropped: 3, queued: 0 })
    expect(stored.size).toBe(497)
    expect(problems[0]).toMatchObject({ kind: 'refused', events: 1 })
    expect(problems[0]!.message).toContain('Invalid RunEvent: run-7')
    expect(seen.length).toBeLessThan(60)
  })

  test('never throws into the program: not for odd events, odd listeners, or after its end', async () => {
    const { fetch } = storingService()
    const client = new ServiceClient('http://service.test', { fetch })
    const queue = new EventQueue(client, {
      onError: () => {
        throw new Error('listener')
      },
    })
    const cyclic: Record<string, unknown> = {}
    cyclic.self = cyclic
    for (const odd of [undefined, null, cyclic, { run_id: 1n }]) queue.add(odd as never)
    expect(queue.counts).toEqual({ logged: 4, sent: 0, dropped: 4, queued: 0 })
    await queue.close()
    queue.add(SAMPLE)
    expect(queue.counts).toEqual({ logged: 5, sent: 0, dropped: 5, queued: 0 })
  })

  test('closes in time even over a fetch that never ends and ignores its signal', async () => {
    const { fetch } = fakeFetch(() => new Promise<Response>(() => {}))
    const { queue, problems } = queueOn(fetch, { closeTimeoutMs: 2000 })
    queue.add({})
    const closed = queue.close()
    await vi.advanceTimersByTimeAsync(2000)
    expect(await closed).toEqual({ logged: 1, sent: 0, dropped: 1, queued: 0 })
    expect(problems.map(({ kind }) => kind)).toEqual(['closed'])
  })

  test('says what is left where the program ends before it could deliver', async () => {
    const { fetch } = storingService(() => json({ detail: 'down' }, 503))
    const { queue, problems } = queueOn(fetch, { closeTimeoutMs: 1000 })
    queue.add({})
    queue.add({})
    await Promise.all([queue.drain(), vi.advanceTimersByTimeAsync(1000)])
    expect(problems.map(({ kind, events }) => [kind, events])).toEqual([
      ['undelivered', 2],
      ['undelivered', 2],
    ])
    expect(problems[1]!.message).toContain('2 run events are not delivered yet')
    await Promise.all([queue.close(), vi.advanceTimersByTimeAsync(1000)])
  })

  test('does not count twice what is answered after it was closed', async () => {
    let answer = (_response: Response): void => {}
    const { fetch } = fakeFetch(() => new Promise<Response>(resolve => (answer = resolve)))
    const { queue } = queueOn(fetch, { closeTimeoutMs: 10 })
    queue.add({})
    const closed = queue.close()
    await vi.advanceTimersByTimeAsync(10)
    await closed
    answer(json({ inserted: 1, skipped: 0 }))
    await vi.advanceTimersByTimeAsync(10)
    expect(queue.counts).toEqual({ logged: 1, sent: 0, dropped: 1, queued: 0 })
  })

  test('hands its deliveries to waitUntil', async () => {
    const { fetch, stored } = storingService()
    const waited: Promise<unknown>[] = []
    const { queue } = queueOn(fetch, { waitUntil: promise => void waited.push(promise), flushIntervalMs: 10 })
    for (let index = 0; index < 3; index++) queue.add({})
    expect(waited).toHaveLength(1)
    await vi.advanceTimersByTimeAsync(10)
    await Promise.all(waited)
    expect(stored.size).toBe(3)
  })

  test('what waitUntil was given ends also after a flush in between', async () => {
    const { fetch } = storingService()
    const waited: Promise<unknown>[] = []
    const { queue } = queueOn(fetch, { waitUntil: promise => void waited.push(promise), flushIntervalMs: 10 })
    queue.add({})
    await queue.flush()
    await vi.advanceTimersByTimeAsync(10)
    await Promise.all(waited)
    expect(queue.counts.sent).toBe(1)
  })

  test('refuses options that make no sense', () => {
    const client = new ServiceClient('http://service.test')
    expect(() => new EventQueue(client, { maxEvents: 0 })).toThrow(
      '`maxEvents` must be a number of at least 1 (it is 0).',
    )
    expect(() => new EventQueue(client, { flushIntervalMs: Number.NaN })).toThrow('flushIntervalMs')
  })
})

test('sent + dropped + queued = logged, and sent ⊆ stored ⊆ logged, whatever the service does', async () => {
  const outcome = fc.constantFrom('ok', 'ok', 'lost', 'down', 'network', 'refuse', 'slow')
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.integer({ min: 0, max: 40 }), outcome, fc.integer({ min: 0, max: 3000 })), {
        maxLength: 25,
      }),
      fc.integer({ min: 1, max: 60 }),
      async (steps, maxEvents) => {
        const plan = steps.map(([, what]) => what)
        const stored = new Set<string>()
        const { fetch } = fakeFetch(async request => {
          const what = plan.shift() ?? 'ok'
          if (what === 'network') throw new TypeError('fetch failed')
          if (what === 'down') return json({ detail: 'down' }, 503)
          if (what === 'refuse') return json({ detail: 'Invalid RunEvent: x' }, 400)
          for (const { run_id } of eventsOf(request)) stored.add(run_id)
          if (what === 'lost') throw new TypeError('socket closed')
          if (what === 'slow') await new Promise(resolve => setTimeout(resolve, 700))
          return json({ inserted: 0, skipped: 0 })
        })
        const { queue } = queueOn(fetch, { maxEvents, closeTimeoutMs: 1000 })
        const logged = new Set<string>()
        for (const [count, , ms] of steps) {
          for (let index = 0; index < count; index++) logged.add(queue.add({}))
          expectBalanced(queue.counts)
          await vi.advanceTimersByTimeAsync(ms)
          expectBalanced(queue.counts)
        }
        await Promise.all([queue.close(), vi.advanceTimersByTimeAsync(1100)])
        const { counts } = queue
        expectBalanced(counts)
        expect(counts.queued).toBe(0)
        expect(counts.logged).toBe(logged.size)
        expect(counts.sent).toBeLessThanOrEqual(stored.size)
        expect([...stored].filter(id => !logged.has(id))).toEqual([])
      },
    ),
    { numRuns: 60 },
  )
})
