import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib'
import { ROOT_PATH } from '../../../src/runtime/root.ts'
import type { Entry } from './compare.ts'

const FIXTURE = `${ROOT_PATH}test/fixtures/corpus.br`

/** Reads the recorded answers; a line has the sources that answer so, and the answer. */
export function readCorpus(): Set<string> {
  if (!existsSync(FIXTURE)) return new Set()
  const lines = brotliDecompressSync(readFileSync(FIXTURE)).toString().split('\n')
  return new Set(
    lines.flatMap(line => {
      const [sources, ...rest] = JSON.parse(line) as [string[], ...string[]]
      return sources.map(source => JSON.stringify([source, ...rest]))
    }),
  )
}

/** Writes them, each answer once, and returns the size of the file in bytes. */
export function writeCorpus(entries: ReadonlySet<string>): number {
  const sources = new Map<string, string[]>()
  for (const entry of entries) {
    const [source, ...rest] = JSON.parse(entry) as Entry
    const answer = JSON.stringify(rest)
    sources.set(answer, [...(sources.get(answer) ?? []), source])
  }
  const lines = [...sources].toSorted(([a], [b]) => (a < b ? -1 : 1))
  const text = lines.map(([answer, by]) => `[${JSON.stringify(by.toSorted())},${answer.slice(1)}`).join('\n')
  const packed = brotliCompressSync(text, {
    params: { [constants.BROTLI_PARAM_LGWIN]: 24, [constants.BROTLI_PARAM_SIZE_HINT]: text.length },
  })
  writeFileSync(FIXTURE, packed)
  return packed.length
}
