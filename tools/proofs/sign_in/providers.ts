import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { pathToFileURL } from 'node:url'
import { freePort } from '../../../test/support/processes/free_port.ts'
import { mavenZip, npmPackages } from '../packages.ts'

/** The secret of the pages' client, and the password of everybody. */
export const SECRET = 'a secret of the client'
export const PASSWORD = 'a password'

/** An identity provider of somebody else, with the clients `pages` and `svc`; `ann` is in the group `deployers`, `eve` in none. */
export interface RealProvider {
  readonly issuer: string
  readonly scopes: readonly string[]
  close(): Promise<void>
}

/** Starts one whose clients' pages are at `base`. */
export type StartProvider = (base: string) => Promise<RealProvider>

interface OidcProvider {
  listen(port: number, host: string, then: () => void): Server
}

/** oidc-provider, certified, in JavaScript. It gives claims at its userinfo endpoint only. */
export async function startOidcProvider(base: string): Promise<RealProvider> {
  const folder = npmPackages('oidc-provider', ['oidc-provider@9.13.3'])
  const path = join(folder, 'node_modules/oidc-provider/lib/index.js')
  const { Provider } = (await import(pathToFileURL(path).href)) as {
    Provider: new (issuer: string, configuration: object) => OidcProvider
  }
  const port = await freePort()
  const issuer = `http://127.0.0.1:${port}`
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: 'pages',
        client_secret: SECRET,
        redirect_uris: [`${base}/v1/sign-in/sso/callback`],
        post_logout_redirect_uris: [`${base}/`],
      },
      {
        client_id: 'svc',
        application_type: 'native',
        token_endpoint_auth_method: 'none',
        redirect_uris: ['http://127.0.0.1/callback'],
        grant_types: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'],
      },
    ],
    claims: { openid: ['sub'], profile: ['name'], groups: ['groups'] },
    features: {
      deviceFlow: { enabled: true },
      revocation: { enabled: true },
      rpInitiatedLogout: { enabled: true },
    },
    pkce: { required: () => true },
    findAccount: (_context: unknown, sub: string) => ({
      accountId: sub,
      claims: () => ({ sub, name: nameOf(sub), groups: sub === 'ann' ? ['deployers', 'staff'] : [] }),
    }),
  })
  const server = await new Promise<Server>(resolve => {
    const listening = provider.listen(port, '127.0.0.1', () => resolve(listening))
  })
  return {
    issuer,
    scopes: ['profile', 'groups'],
    close: async () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

function nameOf(sub: string): string {
  return `${sub[0]!.toUpperCase()}${sub.slice(1)} Archer`
}

const KEYCLOAK = '26.7.3'

/** Keycloak, in Java. It gives claims in the ID token, and takes the loopback of a native client at any port. */
export async function startKeycloak(base: string): Promise<RealProvider> {
  const kept = mavenZip(`org.keycloak:keycloak-quarkus-dist:${KEYCLOAK}`)
  const folder = mkdtempSync(join(tmpdir(), 'svc-keycloak-'))
  cpSync(join(kept, `keycloak-${KEYCLOAK}`), folder, { recursive: true })
  mkdirSync(join(folder, 'data/import'), { recursive: true })
  writeFileSync(join(folder, 'data/import/people-realm.json'), JSON.stringify(realm(base)))
  const port = await freePort()
  const child = spawn(
    'sh',
    [
      'bin/kc.sh',
      'start-dev',
      '--db=dev-mem',
      '--import-realm',
      '--http-host=127.0.0.1',
      `--http-port=${port}`,
    ],
    // So that what it starts ends with it.
    { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'], detached: true },
  )
  const close = async (): Promise<void> => {
    const gone = once(child, 'close')
    process.kill(-child.pid!)
    await gone
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  }
  const said: string[] = []
  for await (const line of createInterface({ input: child.stdout })) {
    said.push(line)
    if (!line.includes('Listening on:')) continue
    child.stdout.resume()
    return { issuer: `http://127.0.0.1:${port}/realms/people`, scopes: ['profile'], close }
  }
  throw new Error(`Keycloak ended: ${said.slice(-20).join('\n')}`)
}

function realm(base: string): object {
  const groups = {
    name: 'groups',
    protocol: 'openid-connect',
    protocolMapper: 'oidc-group-membership-mapper',
    config: { 'claim.name': 'groups', 'full.path': 'false', 'id.token.claim': 'true' },
  }
  const client = { enabled: true, standardFlowEnabled: true, protocolMappers: [groups] }
  const person = (username: string, of: readonly string[]): object => ({
    username,
    firstName: nameOf(username).split(' ')[0],
    lastName: 'Archer',
    email: `${username}@example.com`,
    emailVerified: true,
    enabled: true,
    credentials: [{ type: 'password', value: PASSWORD }],
    groups: of,
    // As whoever is added by hand has them.
    realmRoles: ['default-roles-people'],
  })
  return {
    realm: 'people',
    enabled: true,
    sslRequired: 'none',
    groups: [{ name: 'deployers' }, { name: 'staff' }],
    users: [person('ann', ['deployers', 'staff']), person('eve', [])],
    clients: [
      {
        ...client,
        clientId: 'pages',
        secret: SECRET,
        redirectUris: [`${base}/v1/sign-in/sso/callback`],
        attributes: {
          'post.logout.redirect.uris': `${base}/`,
          'pkce.code.challenge.method': 'S256',
        },
      },
      {
        ...client,
        clientId: 'svc',
        publicClient: true,
        redirectUris: ['http://127.0.0.1/callback'],
        attributes: { 'oauth2.device.authorization.grant.enabled': 'true' },
      },
    ],
  }
}
