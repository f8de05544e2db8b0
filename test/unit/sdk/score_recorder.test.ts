import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { ClientError, ServiceClient, isApiError } from '../../../src/sdk/index.ts'
import { type Seen, fakeFetch, json } from './support.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const OF = { release_id: 'rel_1', suite: 'safety' }

/** A service that takes cases; `fail` may answer in its stead. */
function recorderOn(
  fail: (seen: Seen, count: number) => Response | undefined = () => undefined,
  options: object = {},
) {
  const { fetch, seen } = fakeFetch((request, count) => {
    const failure = fail(request, count)
    if (failure !== undefined) return failure
    return request.url.endsWith('/v1/scores')
      ? json({ import_id: 'scr_1', cases: 3 })
      : json({ import_id: 'scr_1', part: 0, results: 1 })
  })
  const client = new ServiceClient('http://service', { fetch })
  return { scores: client.recordScores({ ...OF, judge_model: 'm', ...options }), seen }
}

const bodyOf = ({ body }: Seen) => JSON.parse(body!)

describe('a recorder of scores', () => {
  test('sends cases as they come, whole batches at once, and names them at the end', async () => {
    const { scores, seen } = recorderOn(undefined, { batchSize: 2 })
    scores.record('a', { passed: true })
    expect(seen).toEqual([])
    scores.record('b', { passed: false, trace_id: 't' })
    await vi.advanceTimersByTimeAsync(0)
    expect(seen.map(bodyOf)).toEqual([
      {
        ...OF,
        cases: [
          { passed: true, id: 'a' },
          { passed: false, trace_id: 't', id: 'b' },
        ],
      },
    ])
    scores.record('c', { scores: { f: 0.5 }, epoch: 2 })
    await vi.advanceTimersByTimeAsync(2000)
    expect(bodyOf(seen[1]!)).toEqual({
      ...OF,
      import_id: 'scr_1',
      part: 1,
      cases: [{ scores: { f: 0.5 }, epoch: 2, id: 'c' }],
    })
    expect(await scores.finish()).toMatchObject({ import_id: 'scr_1' })
    expect(bodyOf(seen[2]!)).toEqual({ ...OF, judge_model: 'm', import_id: 'scr_1', parts: 2 })
    expect(() => scores.record('d', { passed: true })).toThrow(ClientError)
  })

  test('sends again what a service could not take, as the same part', async () => {
    const { scores, seen } = recorderOn((_, count) => (count < 3 ? json({ detail: 'busy' }, 503) : undefined))
    scores.record('a', { passed: true })
    await vi.advanceTimersByTimeAsync(2000)
    expect(seen).toHaveLength(1)
    await expect(scores.finish()).rejects.toSatisfy(error => isApiError(error, 503))
    expect(scores.waiting).toBe(1)
    expect(await scores.finish()).toMatchObject({ import_id: 'scr_1' })
    expect(seen.map(({ url }) => new URL(url).pathname)).toEqual([
      '/v1/scores/cases',
      '/v1/scores/cases',
      '/v1/scores/cases',
      '/v1/scores',
    ])
  })

  test('never finishes where a case was refused: the import would lack it', async () => {
    const { scores, seen } = recorderOn((_, count) => (count === 1 ? json({ detail: [] }, 422) : undefined))
    scores.record('a', {})
    await vi.advanceTimersByTimeAsync(2000)
    scores.record('b', { passed: true })
    await expect(scores.finish()).rejects.toSatisfy(error => isApiError(error, 422))
    await expect(scores.finish()).rejects.toSatisfy(error => isApiError(error, 422))
    expect(seen).toHaveLength(1)
  })

  test('has nothing to finish without a case, and refuses a batch of none', async () => {
    await expect(recorderOn().scores.finish()).rejects.toThrow('No case was recorded.')
    expect(() => recorderOn(undefined, { batchSize: 0 })).toThrow(
      '`batchSize` must be a number of at least 1',
    )
  })
})
