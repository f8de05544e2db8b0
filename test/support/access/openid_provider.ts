import { createHash, generateKeyPairSync, randomUUID, sign } from 'node:crypto'
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text as textOf } from 'node:stream/consumers'
import { encoded } from './issuer.ts'

/**
 * An OpenID provider on this machine, at which one person is signed in already. What it answers is written by hand, so that it can
 * be wrong in any way.
 */
export interface TestProvider {
  readonly url: string
  /** How many requests each path got. */
  readonly requests: Record<string, number>
  /** Claims of whoever signs in, and more of them at the userinfo endpoint. */
  claims: Record<string, unknown>
  userinfo: Record<string, unknown>
  /** Changes what it says of itself. */
  configuration: Record<string, unknown>
  /** What becomes of an ID token before it is signed, and of the answer of the token endpoint. */
  forge: (claims: Record<string, unknown>) => Record<string, unknown>
  answer: (answer: Record<string, unknown>) => Record<string, unknown>
  state: 'up' | 'down' | 'silent' | 'broken' | 'huge'
  /** What the person's browser brings back for the address that it was sent to. */
  authorize(location: string): URL
  /** An ID token of this moment. */
  idToken(claims?: Record<string, unknown>): string
  rotate(): void
  /** The codes that are good still, with the parameters of their requests. */
  readonly codes: Map<string, URLSearchParams>
  /** What a person has said of a code on another device, and how often to answer that requests come too often. */
  device: { said: 'nothing' | 'yes' | 'no'; slow: number; expires_in: number }
  /** Whether it refuses the scope offline_access, though it says that it knows it. */
  refusesOffline: boolean
  /** The refresh tokens that are good still, with the nonce of their sign-in. Each is good once, as where they rotate. */
  readonly refreshTokens: Map<string, string>
  close(): void
}

export interface ProviderOptions {
  /** The secret of its client; a public one where there is none. */
  readonly secret?: string
  /** Where browsers may be sent back to. */
  readonly redirectUris: readonly (string | RegExp)[]
  readonly now: () => number
}

export async function openProvider({ secret, redirectUris, now }: ProviderOptions): Promise<TestProvider> {
  let key = newKey()
  const requests: Record<string, number> = {}
  const codes = new Map<string, URLSearchParams>()
  const seconds = (): number => Math.floor(now() / 1000)
  const server = createServer((request, response) => void answer(request, response))
  const provider: TestProvider = {
    url: '',
    requests,
    claims: { sub: 'u-1', name: 'Ann', groups: ['deployers'] },
    userinfo: {},
    configuration: {},
    forge: claims => claims,
    answer: given => given,
    state: 'up',
    codes,
    device: { said: 'nothing', slow: 0, expires_in: 60 },
    refusesOffline: false,
    refreshTokens: new Map(),
    close: () => {
      server.closeAllConnections()
      server.close()
    },
    rotate: () => void (key = newKey()),
    authorize: location => {
      const asks = new URL(location).searchParams
      const uri = asks.get('redirect_uri') ?? ''
      if (!redirectUris.some(known => (typeof known === 'string' ? known === uri : known.test(uri))))
        throw new Error('redirect_uri is not registered')
      const code = randomUUID()
      codes.set(code, asks)
      const back = new URL(asks.get('redirect_uri')!)
      back.search = String(new URLSearchParams({ code, state: asks.get('state')!, iss: provider.url }))
      return back
    },
    idToken: (claims = {}) => {
      const usual = { iss: provider.url, aud: 'pages', iat: seconds(), exp: seconds() + 300 }
      const forged = provider.forge({ ...usual, ...provider.claims, ...claims })
      const text = `${encoded({ alg: 'ES256', kid: key.jwk.kid })}.${encoded(forged)}`
      const signature = sign('sha256', Buffer.from(text), { key: key.privateKey, dsaEncoding: 'ieee-p1363' })
      return `${text}.${signature.toString('base64url')}`
    },
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url!, 'http://localhost')
    requests[pathname] = (requests[pathname] ?? 0) + 1
    if (provider.state === 'down') return void request.socket.destroy()
    if (provider.state === 'silent') return
    if (provider.state === 'broken') return void response.writeHead(500).end('<html>')
    if (pathname === '/authorize' || pathname === '/sign-out') {
      const next =
        pathname === '/authorize' ? provider.authorize(provider.url + request.url!) : signedOut(request)
      return void response.writeHead(303, { location: String(next) }).end()
    }
    const body = PATHS[pathname]?.(request, new URLSearchParams(await textOf(request)))
    const padding = provider.state === 'huge' ? { padding: 'x'.repeat(300_000) } : {}
    response.setHeader('content-type', 'application/json')
    if (body === undefined) return void response.writeHead(404).end('{}')
    response.writeHead('error' in body ? 400 : 200).end(JSON.stringify({ ...body, ...padding }))
  }

  function signedOut({ url }: IncomingMessage): string {
    return new URL(url!, provider.url).searchParams.get('post_logout_redirect_uri')!
  }

  const PATHS: Record<string, (request: IncomingMessage, form: URLSearchParams) => Record<string, unknown>> =
    {
      '/.well-known/openid-configuration': () => ({
        issuer: provider.url,
        authorization_endpoint: `${provider.url}/authorize`,
        token_endpoint: `${provider.url}/token`,
        userinfo_endpoint: `${provider.url}/userinfo`,
        end_session_endpoint: `${provider.url}/sign-out`,
        jwks_uri: `${provider.url}/keys`,
        authorization_response_iss_parameter_supported: true,
        code_challenge_methods_supported: ['S256'],
        id_token_signing_alg_values_supported: ['ES256'],
        ...provider.configuration,
      }),
      '/keys': () => ({ keys: [key.jwk] }),
      '/userinfo': () => ({ sub: provider.claims.sub, ...provider.userinfo }),
      '/token': (request, form) => {
        const { authorization = '' } = request.headers
        const given = Buffer.from(authorization.replace('Basic ', ''), 'base64').toString()
        if (secret === undefined ? form.get('client_id') !== 'pages' : given !== `pages:${secret}`)
          return { error: 'invalid_client' }
        const other = OTHER_GRANTS[form.get('grant_type') ?? '']?.(form)
        if (other !== undefined) return other
        const asks = codes.get(form.get('code') ?? '')
        codes.delete(form.get('code') ?? '')
        const challenge = createHash('sha256')
          .update(form.get('code_verifier') ?? '')
          .digest('base64url')
        if (asks === undefined || asks.get('code_challenge') !== challenge) return { error: 'invalid_grant' }
        if (asks.get('redirect_uri') !== form.get('redirect_uri')) return { error: 'invalid_grant' }
        const isOffline = asks.get('scope')!.includes('offline_access')
        if (isOffline && provider.refusesOffline) return { error: 'not_allowed' }
        return granted(asks.get('nonce')!, { rotates: isOffline })
      },
      '/device': (_request, form) => {
        if (provider.refusesOffline && form.get('scope')!.includes('offline_access'))
          return { error: 'invalid_scope' }
        const device_code = randomUUID()
        codes.set(device_code, form)
        const place = { verification_uri: `${provider.url}/code`, expires_in: provider.device.expires_in }
        return { ...place, device_code, user_code: 'ABCD-EFGH', interval: 0.02 }
      },
      '/revoke': (_request, form) => {
        provider.refreshTokens.delete(form.get('token') ?? '')
        return {}
      },
    }

  const OTHER_GRANTS: Record<string, (form: URLSearchParams) => Record<string, unknown>> = {
    'urn:ietf:params:oauth:grant-type:device_code': form => {
      const asks = codes.get(form.get('device_code') ?? '')
      if (asks === undefined) return { error: 'expired_token' }
      if (provider.device.slow-- > 0) return { error: 'slow_down' }
      if (provider.device.said === 'no') return { error: 'access_denied' }
      if (provider.device.said === 'nothing') return { error: 'authorization_pending' }
      return granted(asks.get('nonce')!, { rotates: true })
    },
    refresh_token: form => {
      const nonce = provider.refreshTokens.get(form.get('refresh_token') ?? '')
      if (nonce === undefined) {
        // Somebody has stolen it: then nothing of this sign-in is good any more (RFC 9700, 4.14.2).
        provider.refreshTokens.clear()
        return { error: 'invalid_grant', error_description: 'the refresh token was used before' }
      }
      provider.refreshTokens.delete(form.get('refresh_token')!)
      return granted(nonce, { rotates: true })
    },
  }

  function granted(nonce: string, { rotates }: { readonly rotates: boolean }): Record<string, unknown> {
    const refresh_token = randomUUID()
    if (rotates) provider.refreshTokens.set(refresh_token, nonce)
    return provider.answer({
      access_token: 'opaque',
      token_type: 'Bearer',
      id_token: provider.idToken({ nonce, jti: randomUUID() }),
      ...(rotates ? { refresh_token } : {}),
    })
  }

  await new Promise<void>(resolve => {
    server.listen(0, '127.0.0.1', resolve)
  })
  Object.assign(provider, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
  return provider
}

/** Of a curve: those of RSA take a tenth of a second to make. */
function newKey() {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return {
    privateKey,
    jwk: { ...publicKey.export({ format: 'jwk' }), kid: randomUUID(), use: 'sig', alg: 'ES256' },
  }
}
