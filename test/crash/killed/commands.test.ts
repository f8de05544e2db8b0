import { existsSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { seededRandom } from '../../../src/base/numbers.ts'
import { DAY_MS } from '../../../src/base/time.ts'
import { openLibsql } from '../../../src/sql/libsql/libsql.ts'
import { type Sql, rowsOf, sql } from '../../../src/sql/port.ts'
import { loadMigrations } from '../../../src/runtime/node/migrations.ts'
import { migrate } from '../../../src/sql/migrate.ts'
import { type Workspace, copyOf, makeWorkspace, twoReleases } from '../../support/processes/cli.ts'
import { killAfter } from '../../support/processes/killed.ts'
import { scaled } from '../../support/scale.ts'
import { eventOf } from '../../support/services/builders.ts'
import { expectSound } from '../verify.ts'

const KILLS = scaled(1, 70)
const SEED = Number(process.env.SEED ?? 1)
const EVENTS = scaled(800, 20_000)

interface Command {
  readonly name: string
  /** The ledger that it works on, and its arguments. */
  readonly prepare: () => Promise<{ base: Workspace; args: readonly string[] }>
  /** What it needs to be run again after a kill. */
  readonly again?: (workspace: Workspace) => void
  /** What must hold after any kill, with what it had said. */
  readonly killed?: (workspace: Workspace, db: Sql, said: string) => Promise<void>
  /** What must hold when it has been run to its end at last. */
  readonly done: (workspace: Workspace, db: Sql) => Promise<void>
}

/** Those behind the first four have short forms of their own: kill.test.ts and copy.test.ts. */
const COMMANDS: readonly Command[] = [
  {
    name: 'ledger migrate',
    prepare: async () => ({ base: await oldWorkspace(), args: ['ledger', 'migrate'] }),
    done: async (_, db) => {
      await expectSound(db)
    },
  },
  {
    name: 'runs prune',
    prepare: async () => {
      const { workspace, baseline } = await twoReleases(undefined, 0)
      workspace.write('events.jsonl', linesOf(baseline, [1, 3, 4]))
      await workspace.ok('runs', 'ingest', 'events.jsonl')
      return { base: workspace, args: ['runs', 'prune', '--older-than', '2d', '--archive', 'archive'] }
    },
    killed: async (workspace, db) => {
      const there = new Set([...(await runIds(db)), ...archivedIds(workspace)])
      expect([...there].toSorted()).toEqual(allRunIds([1, 3, 4]))
    },
    done: async (workspace, db) => {
      expect(await runIds(db)).toEqual(allRunIds([1]))
      // A day that was killed between its file and its removal is archived again.
      expect([...new Set(archivedIds(workspace))].toSorted()).toEqual(allRunIds([3, 4]))
      for (const name of readdirSync(workspace.path('archive')).filter(of => of.endsWith('.jsonl.gz')))
        await workspace.svc('runs', 'ingest', `archive/${name}`, '--restored')
      expect(await runIds(db)).toEqual(allRunIds([1, 3, 4]))
    },
  },
  {
    name: 'doctor --backup',
    prepare: async () => {
      const { workspace, baseline } = await twoReleases(undefined, 0)
      workspace.write('events.jsonl', linesOf(baseline, [0]))
      await workspace.ok('runs', 'ingest', 'events.jsonl')
      return { base: workspace, args: ['doctor', '--backup', 'backup.db'] }
    },
    // A backup is there whole or not at all.
    killed: workspace => expectWhole(workspace, 'backup.db'),
    again: workspace => rmSync(workspace.path('backup.db'), { force: true }),
    done: workspace => expectWhole(workspace, 'backup.db'),
  },
  {
    name: 'runs erase',
    prepare: async () => {
      const { workspace, baseline } = await twoReleases(undefined, 0)
      workspace.write('events.jsonl', linesOf(baseline, [1, 3, 4]))
      await workspace.ok('runs', 'ingest', 'events.jsonl')
      return { base: workspace, args: ['runs', 'erase', '--tenant', 't1'] }
    },
    done: async (workspace, db) => {
      expect(await runIds(db)).toEqual([])
      const erasures = await rowsOf(db, sql`SELECT sum(events) AS events FROM erasures`)
      expect(erasures).toEqual([{ events: allRunIds([1, 3, 4]).length }])
      await workspace.ok('runs', 'ingest', 'events.jsonl')
      expect(await runIds(db)).toEqual([])
    },
  },
  {
    name: 'runs ingest',
    prepare: async () => {
      const { workspace, baseline } = await twoReleases(undefined, 0)
      workspace.write('events.jsonl', linesOf(baseline, [0]))
      return { base: workspace, args: ['runs', 'ingest', 'events.jsonl'] }
    },
    done: async (_, db) => expect(await runIds(db)).toEqual(allRunIds([0])),
  },
  {
    name: 'release promote',
    prepare: async () => {
      const { workspace, baseline } = await twoReleases(LAX, 0)
      const options = ['--env', 'prod', '--window', '1h', '--reason', 'why', '--output', 'json']
      return { base: workspace, args: ['release', 'promote', baseline, ...options] }
    },
    killed: async (_, db, said) => {
      if (said === '') return
      const { action_id } = JSON.parse(said) as { action_id: string }
      expect((await expectSound(db)).map(action => action.action_id)).toContain(action_id)
    },
    done: async (_, db) => expect((await expectSound(db)).length).toBeGreaterThan(0),
  },
  {
    name: 'ledger copy',
    prepare: async () => {
      const { workspace, baseline } = await twoReleases(undefined, 0)
      workspace.write('events.jsonl', linesOf(baseline, [0]))
      await workspace.ok('runs', 'ingest', 'events.jsonl')
      return { base: workspace, args: ['ledger', 'copy', '--from', FILE, '--to', 'copied.db'] }
    },
    again: workspace => rmSync(workspace.path('copied.db'), { force: true }),
    done: workspace => expectWhole(workspace, 'copied.db'),
  },
]

test.each(COMMANDS.slice(0, scaled(4, COMMANDS.length)))(
  'svc $name that is killed at any moment leaves a sound ledger, and is run again',
  async ({ name, prepare, killed, again, done }) => {
    const random = seededRandom(SEED)
    const { base, args } = await prepare()
    let lasts = (await killAfter(args, copyOf(base).folder, 600_000)).tookMs
    let [kills, ledgers] = [0, 0]
    for (; kills < KILLS; ledgers++) {
      const workspace = copyOf(base)
      // Further ones find what the one before them left.
      for (let round = 0; round < 3 && kills < KILLS; round++) {
        const afterMs = (0.25 + 0.75 * random()) * lasts
        const { inTime, stdout, tookMs } = await killAfter(args, workspace.folder, afterMs)
        if (inTime) kills += 1
        else lasts = Math.min(lasts, tookMs)
        await withLedger(workspace, FILE, async db => {
          await expectIntact(db)
          await killed?.(workspace, db, inTime ? '' : stdout)
        })
        again?.(workspace)
      }
      await workspace.ok(...args)
      await withLedger(workspace, FILE, async db => {
        await done(workspace, db)
        await expectIntact(db)
        await expectSound(db)
      })
      rmSync(workspace.folder, { recursive: true, force: true })
    }
    process.stdout.write(`svc ${name}: ${kills} kills, ${ledgers} ledgers, SEED=${SEED}\n`)
  },
)

const FILE = '.service/service.db'
const LAX = { diff: { min_candidate_runs: 0, min_baseline_runs: 0, min_low_runs: 0 } }
const TODAY = Math.floor(Date.now() / DAY_MS) * DAY_MS

function linesOf(release_id: string, daysAgo: readonly number[]): string {
  const each = EVENTS / 4
  return daysAgo
    .flatMap(days =>
      Array.from({ length: each }, (_, index) =>
        JSON.stringify(
          eventOf({
            release_id,
            run_id: `run-${days}-${index}`,
            at: days === 0 ? Date.now() - index * 100 : TODAY - days * DAY_MS + index * 100,
          }),
        ),
      ),
    )
    .join('\n')
}

function allRunIds(daysAgo: readonly number[]): string[] {
  const each = EVENTS / 4
  return daysAgo
    .flatMap(days => Array.from({ length: each }, (_, index) => `run-${days}-${index}`))
    .toSorted()
}

async function runIds(db: Sql): Promise<string[]> {
  return (await rowsOf(db, sql`SELECT run_id FROM run_events`)).map(row => String(row.run_id)).toSorted()
}

/** The runs of every file of an archive. */
function archivedIds(workspace: Workspace): string[] {
  if (!workspace.has('archive')) return []
  const names = readdirSync(workspace.path('archive')).filter(name => name.endsWith('.jsonl.gz'))
  return names.flatMap(name => {
    const bytes = readFileSync(workspace.path(`archive/${name}`))
    // A name that was taken, and killed before its file was there.
    const lines = bytes.length === 0 ? [] : gunzipSync(bytes).toString().trimEnd().split('\n')
    return lines.map(line => (JSON.parse(line) as { run_id: string }).run_id)
  })
}

/** With a ledger that has the first migrations alone. */
async function oldWorkspace(): Promise<Workspace> {
  const workspace = makeWorkspace(LAX)
  workspace.write(FILE, '')
  const db = await openFile(workspace, FILE)
  await migrate(db, loadMigrations({ dialect: 'sqlite' }).slice(0, 4), Date.now)
  await db.close()
  return workspace
}

async function expectWhole(workspace: Workspace, file: string): Promise<void> {
  if (!existsSync(workspace.path(file))) return
  const wanted = await withLedger(workspace, FILE, countRows)
  await withLedger(workspace, file, async db => {
    await expectIntact(db)
    expect(await countRows(db)).toEqual(wanted)
  })
}

async function countRows(db: Sql): Promise<unknown> {
  return rowsOf(
    db,
    sql`SELECT (SELECT count(*) FROM run_events) AS events, (SELECT seq FROM audit_head) AS seq`,
  )
}

async function expectIntact(db: Sql): Promise<void> {
  expect(await rowsOf(db, sql`PRAGMA integrity_check`)).toEqual([{ integrity_check: 'ok' }])
}

async function withLedger<T>(workspace: Workspace, file: string, use: (db: Sql) => Promise<T>): Promise<T> {
  const db = await openFile(workspace, file)
  try {
    return await use(db)
  } finally {
    await db.close()
  }
}

function openFile(workspace: Workspace, file: string): Promise<Sql> {
  return openLibsql({ path: workspace.path(file), busyTimeoutMs: 5000, lockRetryMs: 30_000 })
}
