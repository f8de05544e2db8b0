import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import examples from '../../../src/http/openapi/api_examples.json' with { type: 'json' }
import { makeWorkspace } from '../../support/processes/cli.ts'

const EVIL = '\u001B]0;owned\u0007\u001B[2J\u202E\u009B8m'

/** Answers each route as its example does, with more behind each text. */
async function hostileService(): Promise<string> {
  const patterns = examples
    .filter(({ status }) => status === 200)
    .map(({ route, response }) => ({
      pattern: new RegExp(`^${route.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
      body: JSON.stringify(withEvil(response)),
    }))
  const server = createServer((request, response) => {
    const asked = `${request.method} ${request.url!.split('?')[0]}`
    response.setHeader('content-type', 'application/json')
    response.end(patterns.find(({ pattern }) => pattern.test(asked))?.body ?? '{}')
  })
  await new Promise<void>(resolve => {
    server.listen(0, '127.0.0.1', resolve)
  })
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

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
  ['release', 'promote-cancel', 'prq_1', '--reason', 'x'],
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
  const env = { SERVICE_URL: await hostileService() }
  for (const output of [[], ['--output', 'json']]) {
    const { stdout, stderr } = await svcWith({ env }, ...args, ...output)
    // oxlint-disable-next-line no-control-regex -- these are what it looks for
    expect(stdout + stderr).not.toMatch(/[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u202A-\u202E]/)
  }
})
