import { createHash, createHmac } from 'node:crypto'

/**
 * Replaces what of the platform answers from other threads, when it likes: digests and signatures are made at once.
 * Their results are the same. Returns how to put it back.
 */
export function withoutThreads(): () => void {
  const { subtle } = globalThis.crypto
  const replaced = {
    digest: async (_algorithm: string, data: Uint8Array) => exact(createHash('sha256').update(data).digest()),
    importKey: async (_format: string, key: Uint8Array) => key,
    sign: async (_algorithm: string, key: Uint8Array, data: Uint8Array) =>
      exact(createHmac('sha256', key).update(data).digest()),
  }
  for (const [name, value] of Object.entries(replaced)) {
    Object.defineProperty(subtle, name, { value, configurable: true, writable: true })
  }
  return () => {
    for (const name of Object.keys(replaced)) Reflect.deleteProperty(subtle, name)
  }
}

function exact(digest: Buffer): ArrayBuffer {
  return new Uint8Array(digest).buffer
}
