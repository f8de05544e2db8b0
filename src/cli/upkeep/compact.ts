import { readEnvironment } from '../../runtime/environment.ts'
import { compactLedger } from '../../runtime/upkeep/compact.ts'
import type { Invocation } from '../arguments/command.ts'
import { stderrLog } from '../main.ts'

export async function compact({ io, version }: Invocation): Promise<number> {
  const { rewritten, left } = await compactLedger({
    folder: io.cwd,
    environment: readEnvironment(io.env),
    version,
    log: stderrLog(io),
  })
  io.out(`rewrote ${rewritten} events${left === 0 ? '' : `; ${left} are left as they are`}\n`)
  return 0
}
