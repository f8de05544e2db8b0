import { expect, test, vi } from 'vitest'
import { checkLogins } from '../../../../src/features/identity/jobs.ts'
import type { Services } from '../../../../src/runtime/services.ts'
import { testProvider } from '../../../support/access/provider.ts'

async function started(own: string | undefined, state: 'up' | 'down' | 'broken' = 'up') {
  const provider = await testProvider({ redirectUris: [], now: Date.now })
  if (own !== undefined) provider.configuration = { issuer: own.replace('URL', provider.url) }
  provider.state = state
  const log = vi.fn<Services['log']>()
  const workspace = { auth: { oidc: [{ issuer: provider.url, audience: 'a', roles: [] }] } }
  await checkLogins({ workspace, secret: () => undefined, log } as unknown as Services)
  return log
}

test.each([
  [
    'https://login.example/{tenantid}/v2.0',
    /auth\.oidc\[0\]\.issuer http.* is a provider for several tenants/,
  ],
  ['URL/', /is (http:\S+), and its tokens name \1\/: write it exactly like that/],
  ['https://login.example', /its tokens name https:\/\/login\.example: write it/],
])('a server whose issuer calls itself %s does not start, and says why', async (own, why) => {
  await expect(started(own)).rejects.toThrow(why)
})

test("a server starts where its issuer is right, and where it can't be reached", async () => {
  expect(await started(undefined)).not.toHaveBeenCalled()
  for (const state of ['down', 'broken'] as const)
    expect(await started(undefined, state)).toHaveBeenCalledWith('warn', expect.any(String), {
      issuer: expect.any(String),
    })
})
