import { lstat, rename, rm } from 'node:fs/promises'
import { resolve } from 'node:path'
import { ServiceError, badRequest } from '../../base/errors.ts'
import { SqlError } from '../../sql/port.ts'
import { type Api, callJson } from '../service/api.ts'
import type { Invocation } from '../arguments/command.ts'
import { type Io, painter, clearProgress, progress, stderrLog } from '../terminal/io.ts'
import { pretty, safe } from '../terminal/text.ts'
import { readEnvironment } from '../../runtime/environment.ts'
import { openServices } from '../../runtime/node/open.ts'

export async function doctor({ options, io, api }: Invocation): Promise<number> {
  const backup = options.text('backup')
  if (backup !== undefined) await requireNewFile(backup, io)
  const opened = await api()
  if (backup !== undefined) {
    await writeBackup(opened, backup, io)
    io.err(`svc: backup written to ${backup}\n`)
  }
  const query = { deep: options.flag('deep') === true ? 'true' : undefined }
  const report = await callJson(opened, 'GET /v1/doctor', { query }, (step, done, total) =>
    progress(io, step, done, total),
  ).finally(() => clearProgress(io))
  if (options.json) {
    io.out(pretty(report))
    return report.ok ? 0 : 1
  }
  const [paint, paintError] = [painter(io), painter(io, 'err')]
  for (const { name, ok, detail, warning } of report.checks) {
    const line = `${safe(name)}: ${safe(detail)}\n`
    if (warning === true) io.err(`${paintError('yellow', 'WARN')}  ${line}`)
    else if (ok) io.out(`${paint('green', 'ok')}    ${line}`)
    else io.err(`${paintError('red', 'FAIL')}  ${line}`)
  }
  return report.ok ? 0 : 1
}

async function writeBackup(api: Api, backup: string, io: Io): Promise<void> {
  const path = resolve(io.cwd, backup)
  // Whole or not at all: a half-written copy would look like a backup.
  const partial = `${path}.part-${process.pid}`
  try {
    await api.backup(partial)
    // Opening the ledger makes its file and two more next to it, where there were none before.
    await requireNewFile(backup, io)
    await rename(partial, path)
  } catch (error) {
    await rm(partial, { force: true }).catch(() => {})
    if (error instanceof ServiceError) throw error
    // The adapter's own words blame the ledger, which is only read here; its cause names the copy.
    const { message } =
      error instanceof SqlError && error.cause instanceof Error ? error.cause : (error as Error)
    throw badRequest(`--backup ${backup} can't be written: ${message}`, error)
  }
}

async function requireNewFile(backup: string, io: Io): Promise<void> {
  const path = resolve(io.cwd, backup)
  if ((await lstat(path).catch(() => undefined)) !== undefined) {
    throw badRequest(`--backup ${backup}: the file exists already; a backup never overwrites one.`)
  }
}

/** Opening a ledger migrates it: for an owner of tables that the servers' user may not change. */
export async function migrateLedger({ options, io }: Invocation): Promise<number> {
  const environment = readEnvironment(io.env)
  const services = await openServices({ folder: io.cwd, environment, version: '', log: stderrLog(io) })
  await services.sql.close()
  const facts = { schema_version: services.migrations.at(-1)!.version, ledger: services.ledgerName }
  io.out(options.json ? pretty(facts) : `schema version ${facts.schema_version}\t${safe(facts.ledger)}\n`)
  return 0
}
