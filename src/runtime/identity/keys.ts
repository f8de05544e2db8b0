import { type JWTVerifyGetKey, createRemoteJWKSet, errors } from 'jose'
import { MINUTE_MS } from '../../base/time.ts'
import type { Issuer } from '../../models/documents/workspace.ts'

export interface KeysOptions {
  /** Longest wait for an answer of an issuer, ms. */
  readonly timeoutMs?: number
}

/** How long keys are believed without asking again, and how soon an unknown key or a failure is asked for again, ms. */
const BELIEVED_MS = 10 * MINUTE_MS
const COOLDOWN_MS = 10_000

/** Most bytes of an OpenID configuration. */
const MOST_BYTES = 256 * 1024

/** Finds the key that a token is signed with. Keys are fetched at first use, and again when one is unknown. */
type FindKeys = (now: number) => JWTVerifyGetKey

/**
 * The keys of an issuer, from where the workspace says or its OpenID configuration (OpenID Connect Discovery 1.0, 4).
 * Throws where that can't be had; it is asked again 10 s later at the soonest, however many tokens come meanwhile.
 */
export function issuerKeys(
  { issuer, jwks_uri }: Pick<Issuer, 'issuer' | 'jwks_uri'>,
  { timeoutMs = 5000 }: KeysOptions,
): FindKeys {
  let known: JWTVerifyGetKey | undefined
  let failed: { readonly at: number; readonly error: unknown } | undefined

  async function keysUri(): Promise<string> {
    if (jwks_uri != null) return jwks_uri
    const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { accept: 'application/json' },
      signal: AbortSignal.timeout(timeoutMs),
    })
    if (response.status !== 200) throw new Error(`${url} answered ${response.status}`)
    return uriIn(await boundedText(response), issuer)
  }

  async function makeKeys(): Promise<JWTVerifyGetKey> {
    return createRemoteJWKSet(new URL(await keysUri()), {
      timeoutDuration: timeoutMs,
      cooldownDuration: COOLDOWN_MS,
      cacheMaxAge: BELIEVED_MS,
    })
  }

  return now =>
    async function findKey(header, token) {
      if (failed !== undefined && now - failed.at >= 0 && now - failed.at < COOLDOWN_MS) throw failed.error
      try {
        known ??= await makeKeys()
        return await known(header, token)
      } catch (error) {
        const isOfToken =
          error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JOSENotSupported
        const unreachable = isOfToken ? undefined : new UnreachableIssuer(issuer, error)
        if (unreachable !== undefined) failed = { at: now, error: unreachable }
        throw unreachable ?? error
      }
    }
}

/** An issuer whose keys can't be had. */
export class UnreachableIssuer extends Error {
  override readonly name = 'UnreachableIssuer'

  constructor(issuer: string, cause: unknown) {
    super(`the keys of ${issuer} can not be had`, { cause })
  }
}

/** Throws where a configuration is not that of the issuer, or its keys are not where they are safe to fetch from. */
function uriIn(text: string, issuer: string): string {
  const { issuer: says, jwks_uri: uri } = JSON.parse(text) as { issuer?: unknown; jwks_uri?: unknown }
  if (says !== issuer) throw new Error('the OpenID configuration is of another issuer')
  if (typeof uri !== 'string' || !URL.canParse(uri)) throw new Error('the OpenID configuration names no keys')
  if (new URL(uri).protocol !== 'https:' && new URL(issuer).protocol === 'https:') {
    throw new Error('the OpenID configuration names keys that come unencrypted')
  }
  return uri
}

async function boundedText({ body }: Response): Promise<string> {
  if (body === null) return ''
  const decoder = new TextDecoder()
  let [text, bytes] = ['', 0]
  for await (const part of body as unknown as AsyncIterable<Uint8Array>) {
    bytes += part.byteLength
    if (bytes > MOST_BYTES) throw new Error('the OpenID configuration is too long')
    text += decoder.decode(part, { stream: true })
  }
  return text + decoder.decode()
}
