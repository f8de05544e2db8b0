import {
  type JSONWebKeySet,
  type JWTVerifyGetKey,
  createLocalJWKSet,
  createRemoteJWKSet,
  customFetch,
  errors,
} from 'jose'
import { MINUTE_MS } from '../../base/time.ts'
import { remembering } from '../../ledger/world/memo.ts'
import type { Issuer } from '../../models/documents/workspace.ts'
import { TIMEOUT_MS, UnreachableIssuer, askIssuer, discovered, endpointOf } from './oidc_client.ts'

/** How long an issuer is believed, and how soon the next request goes there after an unknown key or a failure, ms. */
export const BELIEVED_MS = 10 * MINUTE_MS
export const COOLDOWN_MS = 10_000

/** What this process knows of providers, by what that is and of which issuer. */
export const knownOfProviders = remembering(() => new Map<string, unknown>())

/** Finds the key that a token is signed with. Keys are fetched at first use, and again when one is unknown. */
type FindKeys = (now: number) => JWTVerifyGetKey

type KnownKeys = ReturnType<typeof createRemoteJWKSet>

/**
 * The keys of an issuer, from where the workspace says or its OpenID configuration (OpenID Connect Discovery 1.0, 4).
 * Throws {@link UnreachableIssuer} where they can't be had: whatever is wrong with them is the issuer's fault. The next
 * try is 10 s later at the soonest, however many tokens come meanwhile.
 */
export function issuerKeys({ issuer, jwks_uri }: Pick<Issuer, 'issuer' | 'jwks_uri'>): FindKeys {
  let known: KnownKeys | undefined
  let failed: { readonly at: number; readonly error: UnreachableIssuer } | undefined

  async function fetchKeys(url: string, init: object): Promise<Response> {
    const response = await askIssuer(issuer, url, init)
    try {
      if (response.status !== 200) throw new Error(`${url} answered ${response.status}`)
      createLocalJWKSet((await response.clone().json()) as JSONWebKeySet)
      return response
    } catch (error) {
      throw new UnreachableIssuer(issuer, error)
    }
  }

  async function makeKeys(): Promise<KnownKeys> {
    return createRemoteJWKSet(new URL(jwks_uri ?? (await keysUri(issuer))), {
      timeoutDuration: TIMEOUT_MS,
      cooldownDuration: COOLDOWN_MS,
      cacheMaxAge: BELIEVED_MS,
      [customFetch]: fetchKeys,
    })
  }

  return now =>
    async function findKey(header, token) {
      if (failed !== undefined && now - failed.at >= 0 && now - failed.at < COOLDOWN_MS) {
        return keptKey(known, failed.error)(header, token)
      }
      try {
        known ??= await makeKeys()
        return await known(header, token)
      } catch (error) {
        if (!(error instanceof UnreachableIssuer)) throw error
        failed = { at: now, error }
        if (known?.fresh === true) return keptKey(known, error)(header, token)
        // The configuration may name another place by now.
        known = undefined
        throw error
      }
    }
}

async function keysUri(issuer: string): Promise<URL> {
  try {
    return endpointOf(issuer, (await discovered(issuer)).jwks_uri)
  } catch (error) {
    throw new UnreachableIssuer(issuer, error)
  }
}

/**
 * Keys that are believed still, while their issuer is left alone: anybody can send a token of an unknown key, which must
 * not shut out those of known ones. Throws `otherwise` where they don't say.
 */
function keptKey(known: KnownKeys | undefined, otherwise: UnreachableIssuer): JWTVerifyGetKey {
  const keys = known?.fresh === true ? known.jwks() : undefined
  return async function findKeptKey(header, token) {
    if (keys === undefined) throw otherwise
    try {
      return await createLocalJWKSet(keys)(header, token)
    } catch (error) {
      throw error instanceof errors.JWKSNoMatchingKey ? otherwise : error
    }
  }
}
