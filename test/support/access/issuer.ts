import { type KeyObject, createHmac, generateKeyPairSync, randomUUID, sign } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

/** An OpenID Connect issuer on this machine. Tokens are written by hand, so that they can be wrong in any way. */
export interface TestIssuer {
  readonly url: string
  /** How often its keys were fetched. */
  readonly requests: { keys: number; configuration: number }
  /** What it answers with; `down` breaks the connection, `silent` never answers, `moved` and `huge` are its keys alone. */
  state: 'up' | 'down' | 'silent' | 'garbage' | 'moved' | 'huge'
  /** A signed token with these claims over the usual ones. */
  token(claims?: Record<string, unknown>, header?: Record<string, unknown>): string
  /** Signs with a new key from now on. The old one is no longer published, unless it is kept too. */
  rotate(options?: { readonly keepsOld: boolean }): void
  /** The public key that is published, as PEM. */
  readonly publicPem: () => string
}

export async function testIssuer(now: () => number): Promise<TestIssuer> {
  let key = newKey()
  let published = [key.jwk]
  const requests = { keys: 0, configuration: 0 }
  const server = createServer((request, response) => {
    const isKeys = request.url === '/keys'
    requests[isKeys ? 'keys' : 'configuration']++
    if (issuer.state === 'down') return void request.socket.destroy()
    if (issuer.state === 'silent') return
    if (isKeys && issuer.state === 'moved') response.writeHead(302, { location: '/elsewhere' })
    const isElsewhere = request.url === '/elsewhere'
    const padding = issuer.state === 'huge' ? 'x'.repeat(300_000) : ''
    const body =
      isKeys || isElsewhere
        ? { keys: published, padding }
        : { issuer: issuer.url, jwks_uri: `${issuer.url}/keys` }
    response.end(issuer.state === 'garbage' ? '<html>' : JSON.stringify(body))
  })
  await new Promise<void>(resolve => {
    server.listen(0, '127.0.0.1', resolve)
  })
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const issuer: TestIssuer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    state: 'up',
    token: (claims = {}, header = {}) => {
      const seconds = Math.floor(now() / 1000)
      const usual = {
        iss: issuer.url,
        aud: 'releases',
        sub: 'repo:acme/bot:ref:refs/heads/main',
        iat: seconds,
        exp: seconds + 300,
      }
      return signed(
        { alg: 'RS256', kid: key.jwk.kid, typ: 'JWT', ...header },
        { ...usual, ...claims },
        key.privateKey,
      )
    },
    rotate: ({ keepsOld } = { keepsOld: false }) => {
      key = newKey()
      published = keepsOld ? [...published, key.jwk] : [key.jwk]
    },
    publicPem: () => key.publicKey.export({ type: 'spki', format: 'pem' }) as string,
  }
  return issuer
}

function newKey() {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const jwk = { ...publicKey.export({ format: 'jwk' }), kid: randomUUID(), use: 'sig', alg: 'RS256' }
  return { publicKey, privateKey, jwk }
}

function signed(header: Record<string, unknown>, payload: object, key: KeyObject): string {
  const text = `${encoded(header)}.${encoded(payload)}`
  return `${text}.${sign('sha256', Buffer.from(text), key).toString('base64url')}`
}

/** A token without a signature, as `alg: none` has it. */
export function unsigned(payload: object, header: object = { alg: 'none', typ: 'JWT' }): string {
  return `${encoded(header)}.${encoded(payload)}.`
}

/** A token signed with a public key as the secret of HMAC. */
export function confused(payload: object, publicPem: string, kid: string): string {
  const text = `${encoded({ alg: 'HS256', typ: 'JWT', kid })}.${encoded(payload)}`
  return `${text}.${createHmac('sha256', publicPem).update(text).digest('base64url')}`
}

export function encoded(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

/** What a token says, without a look at its signature. */
export function partOf(token: string, index: 0 | 1): Record<string, unknown> {
  return JSON.parse(Buffer.from(token.split('.')[index]!, 'base64url').toString()) as Record<string, unknown>
}
