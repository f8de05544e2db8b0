import { concatenate, digestAll } from '../../base/bytes.ts'

/** A Merkle tree as RFC 6962, 2.1, has it: SHA-256 over 0x00 and a leaf, and over 0x01 and two hashes. */
export type Hash = Uint8Array<ArrayBuffer>

/** The hash of the leaves from one number up to another, the second not included (MTH). */
export type HashOf = (from: number, to: number) => Promise<Hash>

const NODE = Uint8Array.of(1)

/** What the hash of a leaf is made of: a byte of 0, and behind it the text. */
export function leafBytes(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(`\0${text}`)
}

/**
 * The hash over a row of hashes: of leaves, or of subtrees that are all full and of one size but the last.
 * There is at least one.
 */
export async function hashOver(hashes: readonly Hash[]): Promise<Hash> {
  let level = hashes
  while (level.length > 1) {
    const pairs = Array.from({ length: Math.floor(level.length / 2) }, (_, at) =>
      nodeBytes(level[2 * at]!, level[2 * at + 1]!),
    )
    const alone = level.length % 2 === 1 ? [level.at(-1)!] : []
    level = [...(await digestAll(pairs)), ...alone]
  }
  return level[0]!
}

/** The audit path of a leaf (RFC 6962, 2.1.1). */
export async function inclusionPath(hashOf: HashOf, index: number, size: number): Promise<Hash[]> {
  const path: Hash[] = []
  for (let [from, to] = [0, size]; to - from > 1;) {
    const middle = from + splitOf(to - from)
    const isLeft = index < middle
    path.unshift(await (isLeft ? hashOf(middle, to) : hashOf(from, middle)))
    if (isLeft) to = middle
    else from = middle
  }
  return path
}

/** The proof that the tree of `size` leaves begins with that of `before` (RFC 6962, 2.1.2); 0 < before <= size. */
export async function consistencyPath(hashOf: HashOf, before: number, size: number): Promise<Hash[]> {
  const path: Hash[] = []
  let [from, to] = [0, size]
  while (to !== before) {
    const middle = from + splitOf(to - from)
    const isLeft = before <= middle
    path.unshift(await (isLeft ? hashOf(middle, to) : hashOf(from, middle)))
    if (isLeft) to = middle
    else from = middle
  }
  return from === 0 ? path : [await hashOf(from, to), ...path]
}

export function isSame(a: Hash, b: Hash): boolean {
  return a.length === b.length && a.every((byte, index) => byte === b[index])
}

/** What the hash of a node is made of. */
export function nodeBytes(left: Hash, right: Hash): Uint8Array<ArrayBuffer> {
  return concatenate([NODE, left, right], 1 + left.length + right.length)
}

/** The largest power of two below a number above 1. */
function splitOf(count: number): number {
  return 2 ** Math.ceil(Math.log2(count) - 1)
}
