import { createHash } from 'node:crypto'
import { jsonOf } from '../../base/text.ts'
import type { AuditEntry } from '../../models/answers/audit.ts'
import type { Hash } from './rules_merkle.ts'

/** The audit log entry by entry: its chain, and its Merkle tree as the roots of the full subtrees that it is made of. */
export class GrowingLog {
  #size = 0
  #head = ''
  #first: string | undefined
  #problem: string | undefined
  /** Roots of full subtrees from the left, with their sizes, which are ever smaller powers of two. */
  readonly #peaks: { size: number; hash: Hash }[] = []

  get size(): number {
    return this.#size
  }

  /** Hash of the last entry. */
  get head(): string {
    return this.#head
  }

  get ledgerId(): string | undefined {
    return this.#first?.slice(0, 32)
  }

  /** Why the last entry doesn't hold; nothing is added from then on. */
  get problem(): string | undefined {
    return this.#problem
  }

  /** Takes the next entry, by its text alone: what comes with it is compared. Returns its leaf, unless it doesn't hold. */
  add({
    log_seq,
    record_json,
    hash,
  }: Pick<AuditEntry, 'log_seq' | 'record_json' | 'hash'>): Hash | undefined {
    const found = createHash('sha256').update(record_json).digest('hex')
    const record = jsonOf(record_json) as EntryLinks | null | undefined
    if (found !== hash) this.#problem = `log_seq ${log_seq}: its record does not match its hash`
    else if (log_seq !== this.#size + 1 || record?.log_seq !== log_seq) {
      this.#problem = `log_seq ${this.#size + 1} is missing`
    } else if (record.prev_hash !== this.#head) {
      this.#problem = `log_seq ${log_seq}: it does not follow the entry before it`
    }
    if (this.#problem !== undefined) return undefined
    this.#first ??= found
    this.#head = found
    this.#size += 1
    const leaf = digest(Buffer.from([0]), Buffer.from(record_json))
    let peak = { size: 1, hash: leaf }
    while (this.#peaks.at(-1)?.size === peak.size) {
      const left = this.#peaks.pop()!
      peak = { size: 2 * peak.size, hash: digest(NODE, left.hash, peak.hash) }
    }
    this.#peaks.push(peak)
    return leaf
  }

  /** Root of the tree (RFC 6962, 2.1). */
  root(): Hash {
    const last = this.#peaks.at(-1)
    if (last === undefined) return digest()
    return this.#peaks.slice(0, -1).reduceRight((right, { hash }) => digest(NODE, hash, right), last.hash)
  }
}

const NODE = Buffer.from([1])

/** What of a record tells its place. */
interface EntryLinks {
  readonly log_seq?: unknown
  readonly prev_hash?: unknown
}

/** Hashes of all nodes of a tree by its leaves: of each level, from the leaves up, from the left. */
export function levelsOf(leaves: readonly Hash[]): Hash[][] {
  const levels = [[...leaves]]
  for (let level = levels[0]!; level.length > 1; levels.push(level)) {
    level = Array.from({ length: Math.ceil(level.length / 2) }, (_, at) => {
      const [left, right] = level.slice(2 * at, 2 * at + 2)
      return right === undefined ? left! : digest(NODE, left!, right)
    })
  }
  return levels
}

export function digest(...parts: readonly Uint8Array[]): Hash {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return new Uint8Array(hash.digest())
}
