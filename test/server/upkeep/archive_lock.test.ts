import { spawnSync } from 'node:child_process'
import { readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { archiveInto } from '../../../src/features/retention/jobs_archive.ts'
import { aloneInArchive } from '../../../src/features/retention/jobs_archive_lock.ts'
import { temporaryFolder } from '../../support/databases/ledger.ts'

const DAY = '2026-08-20'

async function* lines(texts: readonly string[], ready?: Promise<unknown>): AsyncGenerator<string> {
  await ready
  yield* texts
}

const held = async (): Promise<void> => {}

describe('two who archive into one folder at once', () => {
  test('leave each what it archived in the manifest', async () => {
    const folder = temporaryFolder()
    const [reached, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const slow = async function* (): AsyncGenerator<string> {
      reached.resolve()
      await second.promise
      yield '{}'
    }
    const first = archiveInto(folder)({ release_id: 'rel_a', day: DAY }, slow(), held)
    await reached.promise
    const other = archiveInto(folder, { onWait: second.resolve })(
      { release_id: 'rel_b', day: DAY },
      lines(['{}']),
      held,
    )
    void other.then(second.resolve)
    await Promise.all([first, other])
    const { files } = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'))
    expect(files).toMatchObject([{ release_id: 'rel_a' }, { release_id: 'rel_b' }])
    expect(readdirSync(folder)).toEqual([DAY, 'manifest.json'])
  })

  test('keep no file of a day of which nothing was left', async () => {
    const folder = temporaryFolder()
    await archiveInto(folder)({ release_id: 'rel_a', day: DAY }, lines([]), held)
    expect(readdirSync(join(folder, DAY))).toEqual([])
  })
})

describe('the lock of an archive', () => {
  const work = async (): Promise<string> => 'done'

  test.each([
    [
      'of a process that was killed',
      () => ({ host: hostname(), pid: spawnSync(process.execPath, ['-v']).pid }),
    ],
    [
      'of a process that had the id of this one',
      () => ({ host: hostname(), pid: process.pid, id: 'another' }),
    ],
  ])('%s is taken over at once', async (_whose, holder) => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'archive.lock'), JSON.stringify(holder()))
    expect(await aloneInArchive(folder, work, { waitMs: 0 })).toBe('done')
    expect(readdirSync(folder)).toEqual([])
  })

  test('of another machine is taken over when it is touched no more, and waited for until then', async () => {
    const folder = temporaryFolder()
    const path = join(folder, 'archive.lock')
    writeFileSync(path, JSON.stringify({ host: 'elsewhere', pid: process.pid }))
    const refused = aloneInArchive(folder, work, { waitMs: 0 })
    await expect(refused).rejects.toThrow(`Another process writes into the archive, as ${path} says`)
    expect(await aloneInArchive(folder, work, { goneMs: 1 })).toBe('done')
  })

  test('that is a link to nothing ends the wait, too', async () => {
    const folder = temporaryFolder()
    symlinkSync('nowhere', join(folder, 'archive.lock'))
    await expect(aloneInArchive(folder, work, { waitMs: 0 })).rejects.toThrow('Another process writes')
  })

  test('is left to the one who has taken it over meanwhile', async () => {
    const folder = temporaryFolder()
    const path = join(folder, 'archive.lock')
    const other = JSON.stringify({ host: 'elsewhere', pid: 1 })
    await aloneInArchive(folder, async () => writeFileSync(path, other))
    expect(readFileSync(path, 'utf8')).toBe(other)
  })

  test('goes with work that fails', async () => {
    const folder = temporaryFolder()
    const failing = aloneInArchive(folder, () => Promise.reject(new Error('the disk is full')))
    await expect(failing).rejects.toThrow('the disk is full')
    expect(readdirSync(folder)).toEqual([])
  })
})
