import { gzipSync } from 'node:zlib'
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
/** Blanks, which JSON may begin with, of more bytes than a small body has. */
const BEGINNING = ' '.repeat(300 * 1024)
const LENGTH = { 'content-length': String(16 * MB) }
const TOKENS = { main: 'of-an-admin', ingest: 'of-an-agent' }

/** A request whose body comes when the test says so: its beginning, and the rest. */
function upload(
  { context }: TestService,
  headers: Readonly<Record<string, string>>,
  endpoint: typeof ingest | typeof traces = ingest,
) {
  const [begun, sent] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const state = { parts: 0, status: 0, headers: {} as Readonly<Record<string, string>> }
  async function* parts(): AsyncGenerator<Uint8Array> {
    state.parts = 1
    await begun.promise
    yield new TextEncoder().encode(BEGINNING)
    state.parts = 2
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
    Object.assign(state, { status: reply.status, headers: reply.headers })
  }
  const end = (): void => {
    begun.resolve()
    sent.resolve()
  }
  return { state, begin: begun.resolve, end, answered: answer() }
}

type Upload = ReturnType<typeof upload>

/** Until all that can go on has. */
const settled = (): Promise<void> =>
  vi.waitFor(() => new Promise<void>(resolve => void setImmediate(resolve)))

const endAll = async (uploads: readonly Upload[]): Promise<number[]> => {
  for (const { end } of uploads) end()
  await Promise.all(uploads.map(({ answered }) => answered))
  return uploads.map(({ state }) => state.status)
}

/** Two uploads that have taken all the room. */
async function twoBegun(
  service: TestService,
  headers: Readonly<Record<string, string>> = LENGTH,
  endpoint: typeof ingest | typeof traces = ingest,
): Promise<Upload[]> {
  const two = [1, 2].map(() => upload(service, headers, endpoint))
  for (const { begin } of two) begin()
  await vi.waitFor(() => expect(two.map(({ state }) => state.parts)).toEqual([2, 2]))
  return two
}

function fakeTimers(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
}

describe('of large bodies', () => {
  test('two are in hand at once; a third is not read on before one of them is over', async () => {
    const service = await testService()
    const two = await twoBegun(service)
    const third = upload(service, LENGTH)
    third.begin()
    await settled()
    expect(third.state.parts).toBe(1)
    two[1]!.end()
    await two[1]!.answered
    await vi.waitFor(() => expect(third.state.parts).toBe(2))
    expect(await endAll([...two, third])).toEqual([200, 200, 200])
  })

  test.each<[string, Record<string, string>]>([
    ['comes without a length', {}],
    ['is compressed', { 'content-length': '9', 'content-encoding': 'gzip' }],
  ])('one that %s may be as long as any', async (_what, headers) => {
    const service = await testService()
    const two = await twoBegun(service, headers, traces)
    const third = upload(service, headers, traces)
    third.begin()
    await settled()
    expect(third.state.parts).toBe(1)
    await endAll([...two, third])
  })

  test.each<[string, Record<string, string>]>([
    ['a length', LENGTH],
    ['no length', {}],
    ['compression', { 'content-length': '100', 'content-encoding': 'gzip' }],
  ])('those that declare %s, and do not come, take no room', async (_what, headers) => {
    const service = await testService()
    const idle = Array.from({ length: 20 }, () => upload(service, headers))
    await settled()
    expect(await endAll(await twoBegun(service))).toEqual([200, 200])
    await endAll(idle)
  })

  test('one that declares too much is refused unread', async () => {
    const { state, answered } = upload(await testService(), { 'content-length': String(16 * MB + 1) })
    await answered
    expect(state).toMatchObject({ parts: 0, status: 413 })
    const huge = upload(await testService(), { 'content-length': String(1e12) })
    await huge.answered
    expect(huge.state).toMatchObject({ parts: 0, status: 413, headers: { connection: 'close' } })
  })

  test('one that is compressed takes room when all of it is here', async () => {
    const service = await testService()
    const two = await twoBegun(service)
    const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' }
    const small = service.call('POST /v1/traces', { headers, body: gzipSync('{}') })
    let isAnswered = false
    const answer = small.then(({ status }) => {
      isAnswered = true
      return status
    })
    await settled()
    expect(isAnswered).toBe(false)
    await endAll(two)
    expect(await answer).toBe(200)
  })

  test('one waits for ten seconds, and no small one does', async () => {
    const service = await testService()
    const two = await twoBegun(service)
    fakeTimers()
    const third = upload(service, LENGTH)
    third.begin()
    const small = await service.call('POST /v1/events', { body: BODY })
    expect(small.status).toBe(200)
    await vi.advanceTimersByTimeAsync(9999)
    expect(third.state.status).toBe(0)
    await vi.advanceTimersByTimeAsync(1)
    await third.answered
    expect(third.state).toMatchObject({ parts: 1, status: 503, headers: { 'Retry-After': '5' } })
    await endAll(two)
  })

  test('one that brings nothing for ten seconds gives its room back', async () => {
    const service = await testService()
    fakeTimers()
    const two = await twoBegun(service)
    await vi.advanceTimersByTimeAsync(10_000)
    await Promise.all(two.map(({ answered }) => answered))
    expect(two[0]!.state).toMatchObject({ status: 408, headers: { connection: 'close' } })
    expect(await endAll(await twoBegun(service))).toEqual([200, 200])
  })

  test('one credential has more than half while no other one waits for two seconds', async () => {
    const service = await testService({ tokens: TOKENS })
    const of = (token: string) => ({ ...LENGTH, authorization: `Bearer ${token}` })
    fakeTimers()
    const two = await twoBegun(service, of(TOKENS.ingest))
    const [same, other] = [TOKENS.ingest, TOKENS.main].map(token => upload(service, of(token))) as [
      Upload,
      Upload,
    ]
    same.begin()
    await vi.advanceTimersByTimeAsync(2000)
    expect(two.map(({ state }) => state.status)).toEqual([0, 0])
    same.end()
    other.begin()
    await vi.advanceTimersByTimeAsync(1999)
    expect(two.map(({ state }) => state.status)).toEqual([0, 0])
    await vi.advanceTimersByTimeAsync(1)
    await vi.waitFor(() => expect(two.map(({ state }) => state.status)).toEqual([0, 503]))
    expect(await endAll([two[0]!, same, other])).toEqual([200, 200, 200])
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
