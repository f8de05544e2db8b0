import { describe, expect, onTestFinished, test, vi } from 'vitest'
import ingest from '../../../handlers/runs/ingest.ts'
import traces from '../../../handlers/runs/traces.ts'
import { Shares } from '../../../src/base/shares.ts'
import { bodyText } from '../../../src/http/wire/message.ts'
import { eventOf } from '../../support/services/builders.ts'
import { ok } from '../../support/services/requests.ts'
import { NOON, type TestService, testService } from '../../support/services/service.ts'
import { socketService } from '../../support/services/socket.ts'

const MB = 1024 * 1024
const BODY = JSON.stringify({ events: [eventOf({ release_id: 'rel_a', run_id: 'r', at: NOON })] })

/** A request whose client declares a length, and sends its body when the test says so. */
function asked(
  { context }: TestService,
  headers: Readonly<Record<string, string>>,
  endpoint: typeof ingest | typeof traces = ingest,
) {
  const sent = Promise.withResolvers<void>()
  const state = { isRead: false, status: 0, retryAfter: '' }
  async function* parts(): AsyncGenerator<Uint8Array> {
    state.isRead = true
    await sent.promise
    yield new TextEncoder().encode(BODY)
  }
  const given = new Map(Object.entries({ 'content-type': 'application/json', host: 'localhost', ...headers }))
  const request = {
    method: 'POST',
    url: `http://localhost${endpoint.route.slice(5)}`,
    headers: { get: (name: string) => given.get(name) ?? null, keys: () => given.keys() },
    body: parts(),
  }
  const answer = async (): Promise<void> => {
    const reply = await endpoint.reply(request, context)
    await bodyText(reply)
    state.status = reply.status
    state.retryAfter = reply.headers['Retry-After'] ?? ''
  }
  return { state, send: sent.resolve, answered: answer() }
}

const LENGTH = { 'content-length': String(16 * MB) }

/** Until all that can go on has. */
const settled = (): Promise<void> =>
  vi.waitFor(() => new Promise<void>(resolve => void setImmediate(resolve)))

describe('of large bodies', () => {
  test('two are in hand at once; a third is not read before one of them is over', async () => {
    const service = await testService()
    const first = [1, 2].map(() => asked(service, LENGTH))
    await vi.waitFor(() => expect(first.every(({ state }) => state.isRead)).toBe(true))
    const third = asked(service, LENGTH)
    await settled()
    expect(third.state.isRead).toBe(false)
    first[1]!.send()
    await first[1]!.answered
    await vi.waitFor(() => expect(third.state.isRead).toBe(true))
    for (const { send } of [...first, third]) send()
    await Promise.all([...first, third].map(({ answered }) => answered))
    expect([...first, third].map(({ state }) => state.status)).toEqual([200, 200, 200])
  })

  test.each<[string, Record<string, string>]>([
    ['comes without a length', {}],
    ['is compressed', { 'content-length': '9', 'content-encoding': 'gzip' }],
    ['says that it is longer than any may be', { 'content-length': String(1e12) }],
  ])('one that %s may be as long as any', async (_what, headers) => {
    const service = await testService()
    const first = [1, 2].map(() => asked(service, headers, traces))
    await vi.waitFor(() => expect(first.every(({ state }) => state.isRead)).toBe(true))
    const third = asked(service, headers, traces)
    await settled()
    expect(third.state.isRead).toBe(false)
    for (const { send } of [...first, third]) send()
    await Promise.all([...first, third].map(({ answered }) => answered))
  })

  test('one waits for ten seconds, and no small one does', async () => {
    const service = await testService()
    const first = [1, 2].map(() => asked(service, LENGTH))
    await vi.waitFor(() => expect(first.every(({ state }) => state.isRead)).toBe(true))
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const third = asked(service, LENGTH)
    const small = asked(service, { 'content-length': '1000' })
    small.send()
    await small.answered
    expect(small.state.status).toBe(200)
    await vi.advanceTimersByTimeAsync(9999)
    expect(third.state.status).toBe(0)
    await vi.advanceTimersByTimeAsync(1)
    await third.answered
    expect(third.state).toEqual({ isRead: false, status: 503, retryAfter: '5' })
    for (const { send } of first) send()
    await Promise.all(first.map(({ answered }) => answered))
  })

  test('eight that come at once all succeed, one after another', async () => {
    const service = await socketService()
    Object.assign(service.context.memo, { bodies: new Shares(MB) })
    const pad = 'x'.repeat(200)
    const bodies = Array.from({ length: 8 }, (_, body) => ({
      events: Array.from({ length: 1000 }, (_event, index) => ({
        ...eventOf({ release_id: 'rel_a', run_id: `${body}-${index}` }),
        labels: { pad },
      })),
    }))
    expect(JSON.stringify(bodies[0]).length).toBeGreaterThan(MB / 2)
    const answers = await Promise.all(bodies.map(body => ok(service.call('POST /v1/events', { body }))))
    expect(answers.map(({ inserted }) => inserted)).toEqual(Array(8).fill(1000))
  })
})
