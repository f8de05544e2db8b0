import { base64, equalTexts, fromBase64, hmac, sha256 } from '../../base/bytes.ts'
import { hex, jsonOf, withoutSlashes } from '../../base/text.ts'
import type { SessionKind } from './models.ts'

export type SigningKey = Uint8Array<ArrayBuffer>

/**
 * What proves a session: `rgss_`, 12 hex digits that name it, 44 of secret, and 32 of a signature over these and its kind. So
 * a text that nobody was given is refused without a look at the database, and a cookie is no Bearer token.
 */
const CREDENTIAL = /^(rgss_([0-9a-f]{12})[0-9a-f]{44})([0-9a-f]{32})$/
const PREFIX = 'rgss_'
const SIGNATURE_BYTES = 16

/** How many hex digits of secret a session has. */
export const SECRET_DIGITS = 44

/** Whether a text means to prove a session. */
export function isSessionText(text: string): boolean {
  return text.startsWith(PREFIX)
}

/** A credential from the 12 digits of a session and those of its secret. */
export async function signedCredential(
  key: SigningKey,
  kind: SessionKind,
  digits: string,
  secret: string,
): Promise<string> {
  const start = PREFIX + digits + secret
  return start + (await signature(key, `${kind} session`, start))
}

/** The id of the session that a credential of this kind names; undefined where its signature does not hold. */
export async function sessionIn(
  key: SigningKey,
  kind: SessionKind,
  text: string,
): Promise<string | undefined> {
  const [, start, digits, signed] = CREDENTIAL.exec(text) ?? []
  if (start === undefined || signed === undefined) return undefined
  return equalTexts(signed, await signature(key, `${kind} session`, start)) ? `ses_${digits}` : undefined
}

/** What the web UI sends with each change (signed double submit): other origins can read neither it nor the cookie. */
export function csrfToken(key: SigningKey, credential: string): Promise<string> {
  return signature(key, 'csrf', credential)
}

/** The nonce of a sign-in by `svc` for a service: it holds for that service alone. */
export async function nonceFor(base: string, secret: string): Promise<string> {
  return sha256(`${withoutSlashes(base)}\n${secret}`)
}

/** A value as text that only this ledger's servers can make. */
export async function sealed(key: SigningKey, value: object): Promise<string> {
  const text = base64(new TextEncoder().encode(JSON.stringify(value)))
  return `${text}.${await signature(key, 'sign-in', text)}`
}

/** The value of a sealed text; undefined where nobody of us made it. */
export async function unsealed(key: SigningKey, given: string): Promise<unknown> {
  const [text = '', signed = ''] = given.split('.', 2)
  if (!equalTexts(signed, await signature(key, 'sign-in', text))) return undefined
  return jsonOf(new TextDecoder().decode(fromBase64(text)))
}

async function signature(key: SigningKey, purpose: string, text: string): Promise<string> {
  return hex(await hmac(key, `${purpose}\n${text}`), 0, SIGNATURE_BYTES)
}
