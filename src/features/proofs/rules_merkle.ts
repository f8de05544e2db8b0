import { concatenate, digestAll, digestOf } from '../../base/bytes.ts'

/** A Merkle tree as RFC 6962, 2.1, has it: SHA-256 over 0x00 and a leaf, and over 0x01 and two hashes. */
export type Hash = Uint8Array<ArrayBuffer>

/** The hash of the leaves from one number up to another, the second not included (MTH). */
export type HashOf = (from: number, to: number) => Promise<Hash>

const NODE = Uint8Array.of(1)

export function leafHash(text: string): Promise<Hash> {
  return digestOf(leafBytes(text))
}

/** What the hash of a leaf is made of: a byte of 0, and behind it the text. */
export function leafBytes(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(`\0${text}`)
}

/** The hash of a tree with no leaf. */
export function emptyRoot(): Promise<Hash> {
  return digestOf(new Uint8Array(0))
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

/** The root that a leaf and its audit path lead to (RFC 9162, 2.1.3.2); undefined where the path has another length. */
export async function rootOfPath(
  leaf: Hash,
  index: number,
  size: number,
  path: readonly Hash[],
): Promise<Hash | undefined> {
  if (!(index >= 0 && index < size)) return undefined
  let [node, last, root] = [index, size - 1, leaf]
  for (const hash of path) {
    if (last === 0) return undefined
    if (node % 2 === 1 || node === last) {
      root = await nodeHash(hash, root)
      while (node % 2 === 0 && node !== 0) [node, last] = [half(node), half(last)]
    } else {
      root = await nodeHash(root, hash)
    }
    ;[node, last] = [half(node), half(last)]
  }
  return last === 0 ? root : undefined
}

/** A tree by its number of leaves and its root. */
export interface Tree {
  readonly size: number
  readonly root: Hash
}

/** Whether the proof shows that a tree begins with another one (RFC 9162, 2.1.4.2). */
export async function isExtendedBy(before: Tree, tree: Tree, path: readonly Hash[]): Promise<boolean> {
  if (before.size < 1 || before.size > tree.size) return false
  if (before.size === tree.size) return path.length === 0 && isSame(before.root, tree.root)
  const hashes = Number.isInteger(Math.log2(before.size)) ? [before.root, ...path] : path
  const [first, ...rest] = hashes
  if (first === undefined) return false
  let [node, last] = [before.size - 1, tree.size - 1]
  while (node % 2 === 1) [node, last] = [half(node), half(last)]
  let [old, root] = [first, first]
  for (const hash of rest) {
    if (last === 0) return false
    if (node % 2 === 1 || node === last) {
      ;[old, root] = [await nodeHash(hash, old), await nodeHash(hash, root)]
      while (node % 2 === 0 && node !== 0) [node, last] = [half(node), half(last)]
    } else {
      root = await nodeHash(root, hash)
    }
    ;[node, last] = [half(node), half(last)]
  }
  return last === 0 && isSame(old, before.root) && isSame(root, tree.root)
}

export function isSame(a: Hash, b: Hash): boolean {
  return a.length === b.length && a.every((byte, index) => byte === b[index])
}

function nodeHash(left: Hash, right: Hash): Promise<Hash> {
  return digestOf(nodeBytes(left, right))
}

function nodeBytes(left: Hash, right: Hash): Uint8Array<ArrayBuffer> {
  return concatenate([NODE, left, right], 1 + left.length + right.length)
}

/** The largest power of two below a number above 1. */
function splitOf(count: number): number {
  return 2 ** Math.ceil(Math.log2(count) - 1)
}

function half(count: number): number {
  return Math.floor(count / 2)
}
