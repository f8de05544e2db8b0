import { expect, test } from 'vitest'
import { identifyBy } from '../../../src/entry/features.ts'
import { workspaceConfig } from '../../../src/runtime/documents.ts'

const TRUSTING = workspaceConfig({
  auth: {
    oidc: [
      { issuer: 'https://issuer.example', audience: 'svc', roles: [{ role: 'read', claims: { sub: 'ci' } }] },
    ],
  },
})

test('tokens of a trusted identity provider are read by a feature', () => {
  expect(identifyBy(TRUSTING)).toMatchObject({ byToken: expect.any(Function) })
})

test.each([{}, { auth: 'named' }, { auth: { oidc: [] } }])('nobody is identified by %o', workspace => {
  expect(identifyBy(workspaceConfig(workspace))).toBeUndefined()
})
