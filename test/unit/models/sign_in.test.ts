import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { workspaceConfig } from '../../../src/runtime/documents.ts'
import { ROOT_PATH } from '../../../src/runtime/root.ts'

const ISSUER = {
  issuer: 'https://login.example.com',
  login: { client_id: 'pages' },
  roles: [{ role: 'read', claims: {} }],
}
const loginWith = (login: object) => ({ ...ISSUER, login: { ...ISSUER.login, ...login } })

test.each([
  'https://gate.example.com',
  'https://gate.example.com:8443/releases/',
  'http://127.0.0.1:8765',
  'http://localhost:8765/gate',
])('people sign in at %s', public_url => {
  expect(workspaceConfig({ public_url, auth: { oidc: [ISSUER] } }).public_url).toBe(public_url)
})

const BAD: readonly [what: string, workspace: Record<string, unknown>, says: RegExp][] = [
  [
    'without public_url',
    { auth: { oidc: [ISSUER] } },
    /public_url must be the https:\/\/ URL of the web UI.*missing/,
  ],
  [
    'over HTTP',
    { public_url: 'http://gate.example.com', auth: { oidc: [ISSUER] } },
    /public_url must be the https/,
  ],
  [
    'at another host that begins so',
    { public_url: 'http://localhost.evil.example', auth: { oidc: [ISSUER] } },
    /https/,
  ],
  ['with a user in the URL', { public_url: 'https://a@b.example', auth: { oidc: [ISSUER] } }, /https/],
  [
    'by two logins of one name',
    { public_url: 'https://a.example', auth: { oidc: [ISSUER, ISSUER] } },
    /auth\.oidc\[1\]\.login\.name must be another one for each login \(was sso\)/,
  ],
  [
    'in sessions that are too short to be noted',
    { public_url: 'https://a.example', auth: { oidc: [loginWith({ session_idle: '4m' })] } },
    /auth\.oidc\[0\]\.login\.session_idle must be at least 5m/,
  ],
  [
    'with the secret itself in service.yaml',
    { public_url: 'https://a.example', auth: { oidc: [loginWith({ client_secret: 'x' })] } },
    /client_secret is not a known/,
  ],
  [
    'at an issuer that is good for nothing',
    { auth: { oidc: [{ issuer: ISSUER.issuer, roles: ISSUER.roles }] } },
    /auth\.oidc\[0\]\.audience must be given where login is not/,
  ],
  [
    'where only people may confirm and nobody can sign in',
    { approvals: { people_only: true } },
    /approvals\.people_only/,
  ],
]

test.each(BAD)('nobody signs in %s', (_what, workspace, says) => {
  expect(() => workspaceConfig(workspace)).toThrow(says)
})

test('people sign in by what docs/access.md says', () => {
  const page = readFileSync(join(ROOT_PATH, 'docs/access.md'), 'utf8')
  const [login, approvals] = Array.from(page.matchAll(/^```yaml sign-in\n(.*?)^```$/gms), ([, yaml]) =>
    parse(yaml!),
  )
  const { auth, approvals: who } = workspaceConfig({ ...login, ...approvals })
  expect(auth).toEqual(login.auth)
  expect(who).toEqual({ people_only: true })
})
