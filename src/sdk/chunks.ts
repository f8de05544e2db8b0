/** Longest body of one request, characters: far below the 16 MiB that the service accepts, in any script. */
const MAX_CHARS = 4_000_000

/** How many of the first events of `jsons`, starting at `from`, make one request. At least one. */
export function chunkLength(jsons: readonly string[], from: number, chunkSize: number): number {
  let chars = 0
  let length = 0
  while (length < chunkSize && from + length < jsons.length) {
    chars += jsons[from + length]!.length
    if (length > 0 && chars > MAX_CHARS) break
    length += 1
  }
  return length
}
