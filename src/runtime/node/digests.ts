import { hash } from 'node:crypto'

/** SHA-256 of each, here and now: for what is as short as an entry of the audit log, WebCrypto takes several times as long. */
export async function digestAll(all: readonly Uint8Array[]): Promise<Uint8Array<ArrayBuffer>[]> {
  return all.map(bytes => new Uint8Array(hash('sha256', bytes, 'buffer')))
}
