import { describe, expect, test } from 'vitest'
import { type TestProvider, testProvider } from '../../support/access/provider.ts'
import {
  PUBLIC_URL,
  REDIRECT_URI,
  type Visitor,
  begin,
  comeBack,
  signInAt,
  visitorOf,
} from '../../support/access/visitor.ts'
import { NOON, type TestService, testService } from '../../support/services/service.ts'
import { ok, refusal } from '../../support/services/requests.ts'

interface Scene {
  readonly provider: TestProvider
  readonly service: TestService
  readonly visitor: Visitor
}

async function scene(more: Parameters<typeof signInAt>[1] = {}): Promise<Scene> {
  const clock = { now: NOON }
  const provider = await testProvider({ redirectUris: [REDIRECT_URI], now: () => clock.now })
  const service = await testService({ workspace: signInAt(provider, more) })
  return { provider, service, visitor: visitorOf(service) }
}

describe('signing in', () => {
  test('opens a session that the pages use, and comes back to the page that was asked for', async () => {
    const { provider, visitor, service } = await scene()
    await refusal(visitor.call('GET /v1/releases'), 401)
    const answer = await comeBack(visitor, provider.authorize(await begin(visitor, '?view=diff&a=1')))
    expect([answer.status, answer.headers.get('location')]).toEqual([303, `${PUBLIC_URL}/?view=diff&a=1`])
    await ok(visitor.call('GET /v1/releases'))
    const who = await ok(visitor.call('GET /v1/session'))
    expect(who).toMatchObject({
      caller: { name: 'Ann', source: 'oidc', allows: ['read', 'write'] },
      session: { kind: 'browser', subject: 'u-1', issuer: provider.url, state: 'open' },
    })
    expect(service.logged).toEqual([])
  })
})
