import { quoted } from '../terminal/text.ts'

/** The command that rolls a place back, with a reason to fill in. */
export function rollbackCommand(release_id: string, environment: string): string {
  return `svc release rollback ${release_id} --env ${quoted(environment)} --window 24h --reason WHY`
}
