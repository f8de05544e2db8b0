import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { digestEach } from '../../../src/base/bytes.ts'
import { digestAll } from '../../../src/runtime/node/digests.ts'

test("Node's hashes are those of WebCrypto", () =>
  fc.assert(
    fc.asyncProperty(fc.array(fc.uint8Array({ maxLength: 300 })), async given => {
      const all = given.map(bytes => Uint8Array.from(bytes))
      // Entries stand within the bytes of their leaves.
      const parts = all.map(bytes => bytes.subarray(1))
      expect(await digestAll([...all, ...parts])).toEqual(await digestEach([...all, ...parts]))
    }),
  ))
