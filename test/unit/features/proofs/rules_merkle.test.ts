import { createHash } from 'node:crypto'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type Hash,
  type HashOf,
  consistencyPath,
  hashOver,
  inclusionPath,
} from '../../../../src/features/proofs/rules_merkle.ts'
import { emptyRoot, isExtendedBy, leafHash, rootOfPath } from '../../../support/merkle.ts'

const toHex = (hash: Hash | undefined): string => Buffer.from(hash ?? []).toString('hex')

/** The roots of RFC 6962's reference trees of 1 to 8 leaves, which are these bytes. */
const LEAVES = [
  '',
  '00',
  '10',
  '2021',
  '3031',
  '40414243',
  '5051525354555657',
  '606162636465666768696a6b6c6d6e6f',
].map(text => Buffer.from(text, 'hex').toString('latin1'))
const ROOTS = [
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
]

/** The definition itself (RFC 6962, 2.1), by another hash function. */
function rootByDefinition(leaves: readonly string[]): Buffer {
  const sha = (...parts: (Buffer | string)[]): Buffer =>
    createHash('sha256')
      .update(Buffer.concat(parts.map(part => Buffer.from(part))))
      .digest()
  if (leaves.length === 0) return sha('')
  if (leaves.length === 1) return sha(Buffer.of(0), leaves[0]!)
  let split = 1
  while (split * 2 < leaves.length) split *= 2
  return sha(Buffer.of(1), rootByDefinition(leaves.slice(0, split)), rootByDefinition(leaves.slice(split)))
}

/** The leaves of a tree by numbers. */
function treeOf(leaves: readonly string[]): HashOf {
  return async (from, to) => hashOver(await Promise.all(leaves.slice(from, to).map(leafHash)))
}

test('the roots are those of RFC 6962', async () => {
  expect(toHex(await emptyRoot())).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855')
  const hashOf = treeOf(LEAVES)
  for (const [index, root] of ROOTS.entries()) expect(toHex(await hashOf(0, index + 1))).toBe(root)
})

const sizes = fc.integer({ min: 1, max: 70 })
const leavesOf = (size: number): string[] => Array.from({ length: size }, (_, index) => `leaf ${index}`)

describe('of trees of every shape', () => {
  test('the root is the one of the definition', async () => {
    for (let size = 1; size <= 70; size++) {
      expect(toHex(await treeOf(leavesOf(size))(0, size))).toBe(
        rootByDefinition(leavesOf(size)).toString('hex'),
      )
    }
  })

  test('each leaf is proved, at its place alone', async () => {
    await fc.assert(
      fc.asyncProperty(sizes, fc.nat(), fc.nat(), async (size, one, other) => {
        const [index, wrong] = [one % size, other % size]
        const hashOf = treeOf(leavesOf(size))
        const root = toHex(await hashOf(0, size))
        const path = await inclusionPath(hashOf, index, size)
        expect(path.length).toBeLessThanOrEqual(Math.ceil(Math.log2(size)))
        const leaf = await leafHash(`leaf ${index}`)
        expect(toHex(await rootOfPath(leaf, index, size, path))).toBe(root)
        if (wrong !== index) expect(toHex(await rootOfPath(leaf, wrong, size, path))).not.toBe(root)
        expect(toHex(await rootOfPath(await leafHash('another'), index, size, path))).not.toBe(root)
        expect(toHex(await rootOfPath(leaf, index, size, [...path, leaf]))).not.toBe(root)
        expect(await rootOfPath(leaf, size, size, path)).toBeUndefined()
      }),
      { numRuns: 60 },
    )
  })

  test('each is proved to begin with each smaller one, and with no other', async () => {
    await fc.assert(
      fc.asyncProperty(sizes, fc.nat(), fc.nat(), async (size, part, changed) => {
        const before = 1 + (part % size)
        const leaves = leavesOf(size)
        const hashOf = treeOf(leaves)
        const [old, now] = [await hashOf(0, before), await hashOf(0, size)]
        const path = await consistencyPath(hashOf, before, size)
        const isProved = (root: Hash, proof = path): Promise<boolean> =>
          isExtendedBy({ size: before, root }, { size, root: now }, proof)
        expect(await isProved(old)).toBe(true)
        const forked = treeOf(leaves.with(changed % before, 'another'))
        expect(await isProved(await forked(0, before))).toBe(false)
        expect(await isProved(old, [...path, old])).toBe(false)
        if (path.length > 0) expect(await isProved(old, path.slice(1))).toBe(false)
        const root = await forked(0, size)
        const theirs = await consistencyPath(forked, before, size)
        expect(await isExtendedBy({ size: before, root: old }, { size, root }, theirs)).toBe(false)
        expect(await isExtendedBy({ size: size + 1, root: now }, { size, root: now }, [])).toBe(false)
      }),
      { numRuns: 60 },
    )
  })
})
