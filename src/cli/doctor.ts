import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { refused } from '../errors.ts'
import type { DoctorReport } from '../ledger/doctor.ts'
import { callJson } from './api.ts'
import type { Invocation } from './invocation.ts'
import { painter } from './io.ts'
import { safe } from './text.ts'

export async function doctor({ options, io, api }: Invocation): Promise<number> {
  const backup = options.text('backup')
  if (backup !== undefined && (await stat(resolve(io.cwd, backup)).catch(() => undefined)) !== undefined) {
    throw refused(`--backup ${backup}: the file exists already; a backup never overwrites one.`)
  }
  const opened = await api()
  if (backup !== undefined) {
    await opened.backup(resolve(io.cwd, backup))
    io.err(`svc: backup written to ${backup}\n`)
  }
  const report = await callJson<DoctorReport>(opened, 'GET /v1/doctor', {
    query: { deep: options.flag('deep') ? 'true' : undefined },
  })
  const paint = painter(io)
  for (const { name, ok, detail } of report.checks) {
    const line = `${safe(name)}: ${safe(detail)}\n`
    if (ok) io.out(`${paint('green', 'ok')}    ${line}`)
    else io.err(`${paint('red', 'FAIL')}  ${line}`)
  }
  return report.ok ? 0 : 1
}

export async function rebuild({ io, api }: Invocation): Promise<number> {
  const { days } = await callJson<{ days: number }>(await api(), 'POST /v1/rollups/rebuild', { body: {} })
  io.out(`rebuilt ${days} days of roll-ups\n`)
  return 0
}
