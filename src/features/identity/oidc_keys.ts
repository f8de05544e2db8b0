import {
  type JSONWebKeySet,
  type JWTVerifyGetKey,
  createLocalJWKSet,
  createRemoteJWKSet,
  customFetch,
  errors,
} from 'jose'
import { MINUTE_MS } from '../../base/time.ts'
import { type Memo, remembered } from '../../ledger/world/memo.ts'
import type { Issuer } from '../../models/documents/workspace.ts'

/** Longest wait for an answer of an issuer, ms. */
export const TIMEOUT_MS = 5000

/** How long keys are believed without asking again, and how soon keys are fetched again after an unknown one or a failure, ms. */
const BELIEVED_MS = 10 * MINUTE_MS
const COOLDOWN_MS = 10_000

/** Most bytes of an OpenID configuration, and of keys. */
export const MOST_BYTES = 256 * 1024

/** What this process knows of providers, by what that is and of which issuer. */
export function knownOfProviders(memo: Pick<Memo, 'features'>): Map<string, unknown> {
  return remembered(memo, 'identity providers', () => new Map())
}

/** Finds the key that a token is signed with. Keys are fetched at first use, and again when one is unknown. */
type FindKeys = (now: number) => JWTVerifyGetKey

type KnownKeys = ReturnType<typeof createRemoteJWKSet>

/**
 * The keys of an issuer, from where the workspace says or its OpenID configuration (OpenID Connect Discovery 1.0, 4).
 * Throws where that can't be had; the next try is 10 s later at the soonest, however many tokens come meanwhile.
 */
export function issuerKeys({ issuer, jwks_uri }: Pick<Issuer, 'issuer' | 'jwks_uri'>): FindKeys {
  let known: KnownKeys | undefined
  let failed: { readonly at: number; readonly error: UnreachableIssuer } | undefined

  /** What the issuer answers. Whatever is wrong with it is the issuer's fault, and nothing else is. */
  async function ask<T>(url: string, init: RequestInit, read: (text: string) => T): Promise<T> {
    try {
      const response = await fetch(url, { ...init, redirect: 'manual' })
      if (response.status !== 200) throw new Error(`${url} answered ${response.status}`)
      return read(await boundedText(response, MOST_BYTES))
    } catch (error) {
      throw new UnreachableIssuer(issuer, error)
    }
  }

  async function keysUri(): Promise<string> {
    if (jwks_uri != null) return jwks_uri
    const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
    const init = { headers: { accept: 'application/json' }, signal: AbortSignal.timeout(TIMEOUT_MS) }
    return ask(url, init, text => uriIn(text, issuer))
  }

  async function makeKeys(): Promise<KnownKeys> {
    return createRemoteJWKSet(new URL(await keysUri()), {
      timeoutDuration: TIMEOUT_MS,
      cooldownDuration: COOLDOWN_MS,
      cacheMaxAge: BELIEVED_MS,
      [customFetch]: (url: string, init: RequestInit) =>
        ask(url, init, text => {
          createLocalJWKSet(JSON.parse(text) as JSONWebKeySet)
          return new Response(text)
        }),
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

/** The text of an answer. Throws where it is longer than it may be. */
export async function boundedText({ body }: Response, mostBytes: number): Promise<string> {
  if (body === null) return ''
  const decoder = new TextDecoder()
  let [text, bytes] = ['', 0]
  for await (const part of body as unknown as AsyncIterable<Uint8Array>) {
    bytes += part.byteLength
    if (bytes > mostBytes) throw new Error('what the issuer answered is too long')
    text += decoder.decode(part, { stream: true })
  }
  return text + decoder.decode()
}
