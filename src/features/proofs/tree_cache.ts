import type { Hash } from './rules_merkle.ts'

/** Hashes of full subtrees of the audit log that were read and found to hold, from the first one on. */
export interface TreeCache {
  blocks: readonly Hash[]
  /** Hash of the entry that the last of them ends with. */
  hash: string
}

export function newTreeCache(): TreeCache {
  return { blocks: [], hash: '' }
}
