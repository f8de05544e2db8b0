import * as fc from 'fast-check'
import { expect, onTestFinished, test, vi } from 'vitest'

let instances = 0

/** The module as it is where the runtime has, or doesn't have, Node's own hash. */
async function digestsOf(hash: unknown): Promise<typeof import('../../../src/base/bytes.ts')> {
  const builtin = vi.spyOn(process, 'getBuiltinModule').mockReturnValue({ hash })
  onTestFinished(() => builtin.mockRestore())
  // One of its own: what it has found it keeps.
  const path = `../../../src/base/bytes.ts?${instances++}`
  const digests = (await import(/* @vite-ignore */ path)) as typeof import('../../../src/base/bytes.ts')
  await digests.sha256('')
  expect(builtin).toHaveBeenCalledWith('node:crypto')
  return digests
}

test('hashes are those of WebCrypto, by whichever of the two', async () => {
  const node = await digestsOf((await import('node:crypto')).hash)
  const web = await digestsOf(undefined)
  await fc.assert(
    fc.asyncProperty(fc.array(fc.uint8Array({ maxLength: 300 })), async given => {
      const all = given.map(bytes => Uint8Array.from(bytes))
      // Entries are within the bytes of their leaves.
      const parts = [...all, ...all.map(bytes => bytes.subarray(1))]
      const wanted = await Promise.all(
        parts.map(async part => new Uint8Array(await crypto.subtle.digest('SHA-256', part))),
      )
      for (const { digestAll } of [node, web]) expect(await digestAll(parts)).toEqual(wanted)
    }),
  )
  for (const { sha256 } of [node, web])
    expect(await sha256('ä')).toBe('33e6d73fee82904c8d7afb78de1154d1e8dc2a0edb08120e63df5b9385c2d9cc')
})
