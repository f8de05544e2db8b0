import { mkdirSync, mkdtempSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { archiveInto, linesOf } from '../../../src/features/retention/jobs_archive.ts'

const newFolder = (): string => mkdtempSync(join(tmpdir(), 'svc-archive-'))

test.each([
  ['is gone', () => {}, 'there is no such file or folder'],
  ['is a folder', (path: string) => mkdirSync(path), 'it is a folder'],
  ['is no gzip', (path: string) => writeFileSync(path, '{}'), 'incorrect header check'],
  [
    'ends early',
    (path: string) => writeFileSync(path, gzipSync('{}\n'.repeat(9)).subarray(0, -4)),
    'unexpected end of file',
  ],
])('an archived file that %s is named, and ends nothing', async (_how, make, reason) => {
  const path = join(newFolder(), '2026-03-01.jsonl.gz')
  make(path)
  const read = async () => {
    for await (const _ of linesOf(path)) continue
  }
  await expect(read()).rejects.toMatchObject({ status: 400, message: `${path} can't be read: ${reason}.` })
})

async function* of(...lines: readonly string[]): AsyncGenerator<string> {
  yield* lines
}

const renewed = async (): Promise<void> => {}

test('a day that is archived again gets a file beside the first', async () => {
  const folder = newFolder()
  const archive = archiveInto(folder)
  await archive('2026-03-01', of('1', '2'), renewed)
  await archive('2026-03-01', of('2'), renewed)
  await archive('2026-03-02', of(), renewed)
  const texts = readdirSync(folder).map(name => [
    name,
    gunzipSync(readFileSync(join(folder, name))).toString(),
  ])
  expect(Object.fromEntries(texts)).toEqual({
    '2026-03-01.2.jsonl.gz': '2\n',
    '2026-03-01.jsonl.gz': '1\n2\n',
  })
})

test('nothing stays of a day that another process took over', async () => {
  const folder = newFolder()
  const lost = () => Promise.reject(new Error('taken over'))
  await expect(archiveInto(folder)('2026-03-01', of('1'), lost)).rejects.toThrow('taken over')
  expect(readdirSync(folder)).toEqual([])
})
