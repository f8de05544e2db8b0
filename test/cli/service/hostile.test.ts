import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import examples from '../../../src/http/openapi/api_examples.json' with { type: 'json' }
import { makeWorkspace } from '../../support/processes/cli.ts'

const EVIL = '\u001B]0;owned\u0007\u001B[2J\u202E\u009B8m'

/** Answers each route as its example does, but for what is changed. */
async function serviceWith(change: (response: unknown) => unknown): Promise<string> {
  const patterns = examples
    .filter(({ status }) => status === 200)
    .map(({ route, response }) => ({
      pattern: new RegExp(`^${route.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
      body: JSON.stringify(change(response)),
    }))
  const server = createServer((request, response) => {
    const route = `${request.method} ${request.url!.split('?')[0]}`
    response.setHeader('content-type', 'application/json')
    response.end(patterns.find(({ pattern }) => pattern.test(route))?.body ?? '{}')
  })
  await new Promise<void>(resolve => {
    server.listen(0, '127.0.0.1', resolve)
  })
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** With more behind each text. */
function withEvil(value: unknown): unknown {
  if (typeof value === 'string') return value + EVIL
  if (Array.isArray(value)) return value.map(withEvil)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    // Pages come to an end.
    Object.entries(value).map(([key, item]) => [key, key === 'next_after' ? null : withEvil(item)]),
  )
}

const RELEASE = 'rel_000000000003'
const DECIDE = [RELEASE, '--env', 'prod', '--window', '7d', '--reason', 'x']

test.each([
  ['release', 'list'],
  ['release', 'show', RELEASE],
  ['release', 'history'],
  ['release', 'promoted'],
  ['release', 'requests'],
  ['release', 'diff', RELEASE, 'rel_000000000004', '--window', '7d'],
  ['release', 'promote', ...DECIDE],
  ['release', 'rollback', ...DECIDE],
  ['release', 'promote-request', ...DECIDE],
  ['release', 'promote-confirm', 'prq_1', '--approval-reason', 'x'],
  ['release', 'cancel', 'prq_1', '--reason', 'x'],
  ['policy', 'show'],
  ['pricing', 'check'],
  ['runs', 'list', RELEASE, '--window', '7d'],
  ['webhook', 'add', '--url', 'https://a.example', '--event', 'promote.succeeded'],
  ['webhook', 'list'],
  ['webhook', 'test', 'whk_1'],
  ['webhook', 'deliveries'],
  ['token', 'list'],
  ['token', 'create', 'ci', '--role', 'read'],
  ['token', 'rotate', 'ci'],
  ['token', 'revoke', 'ci'],
  ['doctor'],
])('svc %s %s prints nothing raw of what a hostile service answers', async (...args) => {
  const { svcWith } = makeWorkspace({})
  const env = { SERVICE_URL: await serviceWith(withEvil) }
  for (const output of [[], ['--output', 'json']]) {
    const { stdout, stderr } = await svcWith({ env }, ...args, ...output)
    // oxlint-disable-next-line no-control-regex -- these are what it looks for
    expect(stdout + stderr).not.toMatch(/[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u202A-\u202E]/)
  }
})

describe('pages that never end', () => {
  test.each([
    ['release', 'history'],
    ['audit', 'log'],
    ['policy', 'test', 'policy.yaml', '--since', '2026-01-01T00:00:00Z'],
  ])('svc %s %s', async (...args) => {
    const { svcWith, write } = makeWorkspace({})
    write('policy.yaml', 'policy_id: p\n')
    const again = await serviceWith(response => ({ ...(response as object), next_after: 7 }))
    const empty = await serviceWith(response => ({ ...withoutRows(response as object), next_after: 7 }))
    for (const url of [again, empty]) {
      const { code, stderr } = await svcWith({ env: { SERVICE_URL: url } }, ...args)
      expect({ code, stderr }).toEqual({
        code: 1,
        stderr: expect.stringContaining('says that there is more (next_after 7)') as string,
      })
    }
  })

  test('svc audit: a log that is said to have more entries than it gives', async () => {
    const { svcWith } = makeWorkspace({})
    const env = { SERVICE_URL: await serviceWith(endlessLog) }
    expect(await svcWith({ env }, 'audit', 'verify')).toMatchObject({
      code: 1,
      stderr: 'svc: log_seq 1 is missing\n',
    })
    expect(await svcWith({ env }, 'audit', 'export', 'log.jsonl')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('The audit log does not hold: log_seq 1 is missing;') as string,
    })
  })
})

/** Without the rows of a page. */
function withoutRows(response: object): object {
  return Object.fromEntries(
    Object.entries(response).map(([key, value]) => [
      key,
      Array.isArray(value) ? [] : key === 'tested' ? 0 : (value as unknown),
    ]),
  )
}

/** An audit log whose last entry has a number that nobody could count up to. */
function endlessLog(response: unknown): unknown {
  if (typeof response !== 'object' || response === null) return response
  const last = Number.MAX_SAFE_INTEGER
  if ('entries' in response) {
    const [first] = response.entries as readonly object[]
    return { ...response, entries: [{ ...first, log_seq: last }] }
  }
  return 'size' in response ? { ...response, size: last } : response
}
