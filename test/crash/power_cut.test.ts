import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { rowsOf, sql } from '../../src/sql/port.ts'
import { temporaryFolder } from '../support/databases/ledger.ts'
import { start } from '../support/processes/processes.ts'
import { scaled } from '../support/scale.ts'
import { open } from './programs/support.ts'
import { expectSound } from './verify.ts'

/** A row that a program got a confirmation for. */
interface Acknowledged {
  readonly table: string
  readonly column: string
  readonly id: string
}

const CUTS = scaled(1, 30)

/** Of the frames of a log, one in so many is cut at. */
const STRIDE = scaled(10, 1)

test.skipIf(!hasCompiler())('what was synced when it was answered holds all that is governed', async () => {
  const shim = join(temporaryFolder(), 'synced_files.so')
  const source = new URL('programs/synced_files.c', import.meta.url).pathname
  execFileSync('cc', ['-shared', '-fPIC', '-O1', '-o', shim, source, '-ldl'])
  for (let cut = 0; cut < CUTS; cut++) {
    const [folder, disk] = [temporaryFolder(), temporaryFolder()]
    mkdirSync(join(disk, '.service'))
    const running = start(
      'govern.ts',
      { place: { folder } },
      {
        LD_PRELOAD: shim,
        SYNCED_FOLDER: join(disk, '.service'),
      },
    )
    await running.printed(11 + 7 * cut)
    running.child.kill('SIGKILL')
    await running.ended
    await expectKept(disk, running.lines as Acknowledged[])
  }
})

test('a log that is cut at any frame leaves a whole ledger with all that was acknowledged before', async () => {
  const folder = temporaryFolder()
  const running = start('govern.ts', { place: { folder } })
  await running.printed(10)
  running.child.kill('SIGKILL')
  await running.ended
  const lines = running.lines as Acknowledged[]
  const log = readFileSync(`${ledgerFile(folder)}-wal`)
  const frame = FRAME_HEADER + log.readUInt32BE(8)
  const frames = Math.floor((log.length - WAL_HEADER) / frame)
  expect(frames).toBeGreaterThan(100)
  let kept = lines.length
  for (let left = frames; left > 0 && kept > 0; left -= STRIDE) {
    const disk = temporaryFolder()
    mkdirSync(join(disk, '.service'))
    copyFileSync(ledgerFile(folder), ledgerFile(disk))
    // A part of the next frame is there as well.
    writeFileSync(`${ledgerFile(disk)}-wal`, log.subarray(0, WAL_HEADER + left * frame + 999))
    const there = await countKept(disk, lines)
    // Of what was acknowledged in order, only the end may be missing, one after the other.
    expect(there).toBeLessThanOrEqual(kept)
    expect(there).toBeGreaterThanOrEqual(kept - STRIDE)
    await expectKept(disk, lines.slice(0, there))
    kept = there
  }
  expect(kept).toBeLessThan(STRIDE)
})

/** Sizes in the log (sqlite.org/fileformat2.html#the_write_ahead_log). */
const WAL_HEADER = 32
const FRAME_HEADER = 24

async function expectKept(folder: string, acknowledged: readonly Acknowledged[]): Promise<void> {
  const services = await open({ folder })
  await expectSound(services.sql)
  await services.sql.close()
  expect(await countKept(folder, acknowledged)).toBe(acknowledged.length)
}

/** How many of these are there, from the first on. */
async function countKept(folder: string, acknowledged: readonly Acknowledged[]): Promise<number> {
  const { sql: db } = await open({ folder })
  let count = 0
  for (const { table, column, id } of acknowledged) {
    const named = { text: `SELECT count(*) AS n FROM ${table} WHERE ${column} =`, params: [] }
    const [row] = await rowsOf(db, sql`${named} ${id}`)
    if (Number(row!.n) === 0) break
    count++
  }
  await db.close()
  return count
}

function ledgerFile(folder: string): string {
  return join(folder, '.service', 'service.db')
}

function hasCompiler(): boolean {
  try {
    execFileSync('cc', ['--version'], { stdio: 'ignore' })
    return process.platform === 'linux'
  } catch {
    return false
  }
}
