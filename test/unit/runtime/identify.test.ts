import { expect, test } from 'vitest'
import { FEATURES } from '../../../src/entry/features.ts'
import { identifyBy } from '../../../src/runtime/services.ts'
import { workspaceConfig } from '../../../src/runtime/documents.ts'

const TRUSTING = workspaceConfig({
  auth: {
    oidc: [
      { issuer: 'https://issuer.example', audience: 'svc', roles: [{ role: 'read', claims: { sub: 'ci' } }] },
    ],
  },
})

test('tokens of a trusted identity provider are read by a feature', () => {
  expect(identifyBy(FEATURES, TRUSTING)).toMatchObject({ byToken: expect.any(Function) })
})

test.each([{}, { auth: 'named' }, { auth: { oidc: [] } }])('nobody is identified by %o', workspace => {
  expect(identifyBy(FEATURES, workspaceConfig(workspace))).toBeUndefined()
})

test('a program without the feature refuses a workspace that trusts a provider', () => {
  expect(() => identifyBy([], TRUSTING)).toThrow('auth.oidc is set')
})
