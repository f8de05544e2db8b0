import { type JWTPayload, decodeJwt, errors, jwtVerify } from 'jose'
import { sha256 } from '../../base/bytes.ts'
import { ServiceError } from '../../base/errors.ts'
import { isBlank } from '../../base/text.ts'
import type { Ledger } from '../../ledger/world/ledger.ts'
import type { Issuer, WorkspaceConfig } from '../../models/documents/workspace.ts'
import { TOLERANCE_S, UnreachableIssuer, said } from './oidc_client.ts'
import { issuerKeys, knownOfProviders } from './oidc_keys.ts'
import { type Claims, nameIn, ruleFor, whyNoRule } from './rules_identity.ts'
import type { Person } from './rows.ts'

/** Longest token that is looked at, characters. */
const MOST_CHARS = 16_384

/** Whether a text means to be a signed JSON Web Token. */
export function isJwt(text: string): boolean {
  return text.length <= MOST_CHARS && /^[\w-]+\.[\w-]+\.[\w-]*$/.test(text)
}

/** The identity providers that a workspace trusts. */
export function issuersOf({ auth }: Pick<WorkspaceConfig, 'auth'>): readonly Issuer[] {
  return auth === 'named' ? [] : (auth?.oidc ?? [])
}

/** What a token says of its issuer, which nothing proves yet. */
export function claimedIssuer(token: string): string | undefined {
  try {
    return decodeJwt(token).iss
  } catch {
    return undefined
  }
}

/** The claims of a token of an issuer for an audience. Throws 401 for one that does not hold, 503 without the issuer's keys. */
export async function verifiedClaims(
  token: string,
  issuer: Issuer,
  { audience, what = 'Bearer' }: { readonly audience: string; readonly what?: 'Bearer' | 'ID' },
  { memo, now }: Pick<Ledger, 'memo' | 'now'>,
): Promise<JWTPayload> {
  const providers = knownOfProviders(memo)
  const known = `keys of ${issuer.issuer}`
  const keys = (providers.get(known) as ReturnType<typeof issuerKeys> | undefined) ?? issuerKeys(issuer)
  providers.set(known, keys)
  // Keys of a JWKS are public, and jose takes neither HMAC with one nor no signature (RFC 8725, 2.1 and 3.1).
  const { payload } = await jwtVerify(token, keys(now()), {
    issuer: issuer.issuer,
    audience,
    clockTolerance: TOLERANCE_S,
    requiredClaims: ['exp', 'sub'],
    currentDate: new Date(now()),
  }).catch((error: unknown) => {
    if (error instanceof UnreachableIssuer) throw unavailable(issuer.issuer, error)
    throw unauthorized(error instanceof errors.JOSEError ? said(error.message) : "it can't be verified", what)
  })
  if (isBlank(String(payload.sub))) throw unauthorized('its sub is empty', what)
  // An ID token names the client that it was made for (OpenID Connect Core 1.0, 3.1.3.7).
  if (what === 'ID' && payload.azp !== undefined && payload.azp !== audience)
    throw unauthorized('it was made for another client', what)
  return payload
}

/** Whom an issuer vouches for, or why nothing is open to that one: 401 where it can't be named, 403 without a role. */
export type Vouched = { readonly person: Person } | { readonly status: 401 | 403; readonly problem: string }

export async function vouchedFor(issuer: Issuer, claims: Claims): Promise<Vouched> {
  const { roles, name_claim = 'sub' } = issuer
  const named = nameIn(claims, name_claim)
  if ('problem' in named) return { status: 401, problem: named.problem }
  const rule = ruleFor(roles, claims)
  if (rule === undefined) {
    const why = whyNoRule(roles, claims)
    return { status: 403, problem: `No role is set for ${named.name}: ${why}.` }
  }
  const { role, agents = null, environments = null } = rule
  const identity = { issuer: issuer.issuer, subject: String(claims.sub) }
  return {
    person: { ...identity, ...named, role, agents, environments, roles_hash: await rolesHash(issuer) },
  }
}

/** Of all that decides what somebody is good for and is called. */
export function rolesHash({ roles, name_claim, login }: Issuer): Promise<string> {
  return sha256(JSON.stringify([roles, name_claim, login?.client_id, login?.cli_client_id]))
}

function unavailable(issuer: string, cause: unknown): ServiceError {
  return new ServiceError(
    503,
    `The keys of ${issuer} can't be fetched now, so its tokens can't be verified.`,
    { cause, headers: { 'Retry-After': '10' } },
  )
}

export function unauthorized(why: string, what: 'Bearer' | 'ID' = 'Bearer'): ServiceError {
  return new ServiceError(401, `The ${what} token is not valid: ${why}.`, {
    headers: { 'www-authenticate': 'Bearer error="invalid_token"' },
  })
}
