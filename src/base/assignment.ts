import { digestOf } from './bytes.ts'
import { hex } from './text.ts'

/** Where a rollout puts a unit. */
export interface Assignment {
  /** The first 52 bits of the digest. */
  readonly number: number
  /** The next 32 bits, modulo 100: units are compared by bucket. */
  readonly bucket: number
}

const BUCKETS = 100

/** What is hashed to assign a unit: the rollout's id, NUL, and the unit. */
export function assignmentBytes(rolloutId: string, unit: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(`${rolloutId}\0${unit}`)
}

/** Reads an assignment from a SHA-256 of {@link assignmentBytes}. */
export function toAssignment(digest: Uint8Array): Assignment {
  const byte = (index: number): number => digest[index]!
  const first = (((byte(0) << 24) | (byte(1) << 16) | (byte(2) << 8) | byte(3)) >>> 0) * 2 ** 20
  const number = first + ((byte(4) << 12) | (byte(5) << 4) | (byte(6) >> 4))
  const next = ((byte(6) << 28) | (byte(7) << 20) | (byte(8) << 12) | (byte(9) << 4) | (byte(10) >> 4)) >>> 0
  return { number, bucket: next % BUCKETS }
}

/** Whether an assigned unit gets the candidate. What does at some share does at each larger one. */
export function isCandidate({ number }: Pick<Assignment, 'number'>, share: number): boolean {
  return number / 2 ** 52 < share
}

/** Where a rollout puts a unit, by WebCrypto. */
export async function assign(rolloutId: string, unit: string): Promise<Assignment> {
  return toAssignment(await digestOf(assignmentBytes(rolloutId, unit)))
}

/** A user as a unit: HMAC-SHA-256 under the workspace's assignment key, lowercase hex. */
export async function userUnit(assignmentKey: string, user: string): Promise<string> {
  const encoder = new TextEncoder()
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('raw', encoder.encode(assignmentKey), algorithm, false, ['sign'])
  return hex(new Uint8Array(await crypto.subtle.sign('HMAC', key, encoder.encode(user))))
}
