import { concatenate } from './bytes.ts'
import { ServiceError, badRequest } from './errors.ts'

/** The bytes of a gzip. Stops at the first chunk that is too much: a few kB can hold gigabytes. */
export async function gunzip(
  bytes: Uint8Array<ArrayBuffer>,
  maxBytes: number,
  tooLarge: () => ServiceError,
): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = []
  let length = 0
  try {
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))
    for await (const chunk of stream) {
      length += chunk.length
      if (length > maxBytes) throw tooLarge()
      chunks.push(chunk)
    }
  } catch (error) {
    throw error instanceof ServiceError ? error : badRequest('The body is not valid gzip.', error)
  }
  return concatenate(chunks, length)
}
