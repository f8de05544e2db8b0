import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { assign, isCandidate, userUnit } from '../../../src/base/assignment.ts'
import { ROOT_PATH } from '../../../src/runtime/root.ts'
import { PointerCache, ServiceClient } from '../../../src/sdk/index.ts'
import { assignBy } from '../../../src/sdk/assign.ts'

const VECTORS = readFileSync(join(ROOT_PATH, 'docs/rollouts-vectors.csv'), 'utf8')
  .trim()
  .split('\n')
  .slice(1)
  .map(line => line.split(',') as [rollout: string, unit: string, digits: string, share: string])

const arm = (release_id: string) => ({ release_id, version: '1', checksum: 'c' })
const POINTER = {
  agent_id: 'bot',
  environment: 'prod',
  ...arm('rel_live'),
  split: {
    rollout_id: 'rol_000000000001',
    by: 'session' as const,
    share: 0.5,
    baseline: arm('rel_live'),
    candidate: arm('rel_new'),
    lease_s: 60,
  },
}

describe('an assignment', () => {
  test('is that of the vectors, in the service and in the SDK', async () => {
    expect(VECTORS).toHaveLength(50)
    for (const [rollout_id, unit, digits, from] of VECTORS) {
      const found = await assign(rollout_id, unit)
      expect(found.number).toBe(Number.parseInt(digits, 16))
      for (const share of [Number(from) - 1e-9, Number(from) + 1e-9]) {
        const which = assignBy({ ...POINTER.split, rollout_id, share }, unit)?.arm
        expect(which).toBe(share > Number(from) ? 'candidate' : 'baseline')
        expect(isCandidate(found, share)).toBe(which === 'candidate')
      }
    }
  })

  test('of a user is by an HMAC, which it names', async () => {
    const split = { ...POINTER.split, by: 'user' as const, assignment_key: 'k' }
    expect(assignBy(split, 'ann')?.unit).toBe(await userUnit('k', 'ann'))
    expect(assignBy({ ...POINTER.split, by: 'user' }, 'ann')).toBeUndefined()
  })
})

/** A cache of a service that answers a split, until a test cuts it. */
function cacheOf(lease_s: number) {
  const net = { isUp: true, tags: [] as (string | undefined)[], problems: [] as string[] }
  const client = new ServiceClient('http://service.test', {
    fetch: async (_, init) => {
      if (!net.isUp) throw new TypeError('cut')
      const tag = new Headers(init?.headers).get('if-none-match') ?? undefined
      net.tags.push(tag)
      if (tag !== undefined) return new Response(null, { status: 304 })
      return Response.json({ ...POINTER, split: { ...POINTER.split, lease_s } })
    },
  })
  const cache = new PointerCache(client, { onError: ({ message }) => net.problems.push(message) })
  return { net, cache }
}

describe('a pointer of the cache', () => {
  test('assigns the same for as long as its lease is renewed, and what is live once it is not', async () => {
    await during(cacheOf(0.3), async ({ net, cache }) => {
      const pointer = await cache.get('bot', 'prod')
      const arms = ['session-1', 'a', 'b', 'c', 'd'].map(key => pointer!.assign(key).release_id)
      expect(new Set(arms)).toEqual(new Set(['rel_live', 'rel_new']))
      await expect.poll(() => net.tags.length).toBeGreaterThan(4)
      expect(net.tags.at(-1)).toBe('"rel_live.rol_000000000001.0.5"')
      expect(pointer!.assign('session-1').arm).toBe('candidate')
      net.isUp = false
      await expect.poll(() => pointer!.assign('session-1')).toEqual(arm('rel_live'))
      expect(JSON.parse(JSON.stringify(pointer))).toMatchObject(POINTER.split.baseline)
    })
  })

  test('without a key is what is live, which is told once', async () => {
    await during(cacheOf(60), async ({ net, cache }) => {
      const pointer = await cache.get('bot', 'prod')
      expect([pointer!.assign(), pointer!.assign('')]).toEqual([arm('rel_live'), arm('rel_live')])
      expect(net.problems).toEqual([expect.stringContaining('without a session')])
    })
  })
})

async function during<T extends { cache: PointerCache }>(scene: T, work: (scene: T) => Promise<void>) {
  try {
    await work(scene)
  } finally {
    scene.cache.close()
  }
}
