import { type JWTPayload, decodeJwt, errors, jwtVerify } from 'jose'
import { ServiceError } from '../../base/errors.ts'
import { fitsBytes, isBlank, isDisguised } from '../../base/text.ts'
import { ROLE_ALLOWS } from '../../http/access/caller.ts'
import type { Identify } from '../../http/access/identity.ts'
import type { Issuer } from '../../models/documents/workspace.ts'
import { ruleFor } from './rules_identity.ts'
import { type KeysOptions, UnreachableIssuer, issuerKeys } from './oidc_keys.ts'

/**
 * Signatures that only the issuer can make. None, and HMAC with a public key for its secret, are no such thing
 * (RFC 8725, 3.1 and 2.1).
 */
const ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
]

/** How far an issuer's clock may be from ours, s. */
const TOLERANCE_S = 30

const MOST_NAME_BYTES = 512

/** Takes tokens of the issuers that a workspace trusts (OpenID Connect). */
export function oidcIdentify(issuers: readonly Issuer[], options: KeysOptions = {}): Identify {
  const trusted = issuers.map(issuer => ({ ...issuer, keys: issuerKeys(issuer, options) }))
  return async function identify(token, now) {
    const iss = claimedIssuer(token)
    // One issuer may be trusted for several audiences.
    const candidates = trusted.filter(({ issuer }) => issuer === iss)
    let refusal: ServiceError | undefined
    for (const { issuer, audience, roles, keys } of candidates) {
      try {
        const { payload } = await jwtVerify(token, keys(now), {
          issuer,
          audience,
          algorithms: ALGORITHMS,
          clockTolerance: TOLERANCE_S,
          requiredClaims: ['exp', 'sub'],
          currentDate: new Date(now),
        })
        return callerOf(payload, roles)
      } catch (error) {
        refusal ??= refusalOf(error, issuer)
      }
    }
    if (refusal !== undefined) throw refusal
    return undefined
  }
}

/** What a token says of its issuer, which nothing proves yet. */
function claimedIssuer(token: string): string | undefined {
  try {
    return decodeJwt(token).iss
  } catch {
    return undefined
  }
}

function callerOf(payload: JWTPayload, roles: Issuer['roles']): Awaited<ReturnType<Identify>> {
  const name = payload.sub!
  if (isBlank(name) || isDisguised(name) || !fitsBytes(name, MOST_NAME_BYTES)) {
    throw unauthorized('its sub is not a name that can be put on record')
  }
  const rule = ruleFor(roles, payload)
  if (rule === undefined)
    throw new ServiceError(403, `No role is set for ${name} by the claims of its token.`)
  return {
    kind: 'oidc',
    name,
    allows: ROLE_ALLOWS[rule.role],
    scope: { agents: rule.agents ?? null, environments: rule.environments ?? null },
  }
}

function refusalOf(error: unknown, issuer: string): ServiceError {
  if (error instanceof ServiceError) return error
  if (error instanceof errors.JWTExpired) return unauthorized('it has expired')
  if (error instanceof errors.JWTClaimValidationFailed)
    return unauthorized(`its ${error.claim} is not the one that is wanted`)
  if (error instanceof errors.JWKSNoMatchingKey) return unauthorized('its key is none of the issuer')
  if (error instanceof errors.JWKSMultipleMatchingKeys)
    return unauthorized('its header names no key (kid), and the issuer has several')
  if (error instanceof errors.JWSSignatureVerificationFailed)
    return unauthorized('its signature does not hold')
  if (error instanceof UnreachableIssuer) return unavailable(issuer, error)
  return unauthorized('it is not a token that can be verified')
}

function unavailable(issuer: string, cause: unknown): ServiceError {
  return new ServiceError(
    503,
    `The keys of ${issuer} can not be had now, so its tokens can not be verified.`,
    {
      cause,
      headers: { 'Retry-After': '10' },
    },
  )
}

function unauthorized(why: string): ServiceError {
  return new ServiceError(401, `The Bearer token is not valid: ${why}.`, {
    headers: { 'www-authenticate': 'Bearer error="invalid_token"' },
  })
}
