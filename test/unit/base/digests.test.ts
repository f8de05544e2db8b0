import * as fc from 'fast-check'
import { expect, onTestFinished, test, vi } from 'vitest'
import { digestAll, sha256 } from '../../../src/base/bytes.ts'

const { hash } = await import('node:crypto')

test.each([
  ['Node', hash],
  ['WebCrypto', undefined],
])('hashes by %s are those of WebCrypto', async (_name, own) => {
  const builtin = vi.spyOn(process, 'getBuiltinModule').mockReturnValue({ hash: own })
  onTestFinished(() => builtin.mockRestore())
  await fc.assert(
    fc.asyncProperty(fc.array(fc.uint8Array({ maxLength: 300 })), async given => {
      const all = given.map(bytes => Uint8Array.from(bytes))
      // Entries are within the bytes of their leaves.
      const parts = [...all, ...all.map(bytes => bytes.subarray(1))]
      const wanted = await Promise.all(
        parts.map(async part => new Uint8Array(await crypto.subtle.digest('SHA-256', part))),
      )
      expect(await digestAll(parts)).toEqual(wanted)
    }),
  )
  expect(await sha256('ä')).toBe('33e6d73fee82904c8d7afb78de1154d1e8dc2a0edb08120e63df5b9385c2d9cc')
  expect(builtin).toHaveBeenCalledWith('node:crypto')
})
