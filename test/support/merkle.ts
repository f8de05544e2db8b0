import { digestOf } from '../../src/base/bytes.ts'
import { type Hash, isSame, leafBytes, nodeBytes } from '../../src/features/proofs/rules_merkle.ts'

/** The hash of a leaf (RFC 6962, 2.1). */
export function leafHash(text: string): Promise<Hash> {
  return digestOf(leafBytes(text))
}

/** The hash of a tree with no leaf. */
export function emptyRoot(): Promise<Hash> {
  return digestOf(new Uint8Array(0))
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

function nodeHash(left: Hash, right: Hash): Promise<Hash> {
  return digestOf(nodeBytes(left, right))
}

function half(count: number): number {
  return Math.floor(count / 2)
}
