import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { linesOf } from '../../../src/features/retention/jobs_archive.ts'

const PATH = '2026-03-01/rel_a.jsonl.gz'

test.each([
  ['is gone', () => {}, `${PATH} of the archive can't be read: there is no such file or folder.`],
  ['is a folder', (path: string) => mkdirSync(path), `${PATH} of the archive can't be read: it is a folder.`],
  [
    'is no gzip',
    (path: string) => writeFileSync(path, '{}'),
    `${PATH} of the archive can't be read: incorrect header check.`,
  ],
  [
    'ends early',
    (path: string) => writeFileSync(path, gzipSync('{}\n'.repeat(9)).subarray(0, -4)),
    `${PATH} of the archive can't be read: unexpected end of file.`,
  ],
])('an archived file that %s is named, and ends nothing', async (_how, make, message) => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-archive-'))
  mkdirSync(join(folder, '2026-03-01'))
  make(join(folder, PATH))
  await expect(readAll(folder)).rejects.toMatchObject({ status: 400, message })
})

async function readAll(folder: string): Promise<string[]> {
  const lines: string[] = []
  for await (const line of linesOf(folder, PATH)) lines.push(line)
  return lines
}
