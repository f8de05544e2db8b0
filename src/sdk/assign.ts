import { hmac } from '@noble/hashes/hmac.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import type { Pointer } from './types.ts'

/** The release that a unit is to run. */
export interface Assigned {
  readonly release_id: string
  readonly version: string
  readonly checksum: string
  /** Only where a rollout chose it. */
  readonly rollout_id?: string
  readonly arm?: 'baseline' | 'candidate'
  /** Only of a rollout by user: what to send as `assignment.unit` of the run event. */
  readonly unit?: string
}

/** What a rollout assigns a session, tenant or user. Synchronous, the same in every program. */
export function assignBy(split: NonNullable<Pointer['split']>, key: string): Assigned | undefined {
  const { rollout_id, by, share, assignment_key } = split
  if (by === 'user' && assignment_key === undefined) return undefined
  const unit = by === 'user' ? bytesToHex(hmac(sha256, utf8ToBytes(assignment_key!), utf8ToBytes(key))) : key
  const digest = bytesToHex(sha256(utf8ToBytes(`${rollout_id}\0${unit}`)))
  // 13 hex digits are 52 bits, which a number holds exactly.
  const arm = Number.parseInt(digest.slice(0, 13), 16) / 2 ** 52 < share ? 'candidate' : 'baseline'
  return { ...split[arm], rollout_id, arm, ...(by === 'user' ? { unit } : {}) }
}
