import { badRequest } from '../../base/errors.ts'
import { HOUR_MS, MINUTE_MS, isoTime, parseTimestamp } from '../../base/time.ts'
import type { Invocation } from '../../cli/arguments/command.ts'
import { type Api, callJson } from '../../cli/service/api.ts'
import { counted, pretty, safe } from '../../cli/terminal/text.ts'
import type { Evidence } from '../../rules/evidence.ts'
import type { Services } from '../../runtime/services.ts'
import { type Replaced, dueOf, engineOf, pull, replacedOf, verify } from './jobs_pull.ts'
import type { CellsImported } from './models.ts'

/** Asks engines now, as a server does every few minutes. */
export async function pullNow(invocation: Invocation): Promise<number> {
  const { args, options, io, api } = invocation
  const { signal } = new AbortController()
  const imported: CellsImported[] = []
  await here(await api(), async services => {
    const names =
      args[0] === undefined ? (services.workspace.sources ?? []).map(({ name }) => name) : [args[0]]
    if (names.length === 0) throw badRequest('service.yaml names no sources.')
    for (const name of names) {
      const engine = engineOf(services, name)
      const due = await dueOf(services, engine)
      const from = timeOf(options.text('from'), HOUR_MS) ?? due.from
      const to = timeOf(options.text('to'), MINUTE_MS) ?? due.to
      const actor = { name: options.text('actor') ?? 'cli', source: 'cli' } as const
      imported.push(...(await pull(services, engine, { from, to, actor, signal })))
    }
  })
  const sum = (of: 'cells' | 'runs' | 'replaced' | 'removed') =>
    imported.reduce((all, one) => all + one[of], 0)
  io.out(
    options.json
      ? pretty({ imports: imported })
      : `${counted(sum('cells'), 'cell')} of ${counted(sum('runs'), 'run')}; ${sum('replaced')} replaced, ${sum('removed')} removed\n`,
  )
  return 0
}

function timeOf(text: string | undefined, widthMs: number): number | undefined {
  if (text === undefined) return undefined
  const at = parseTimestamp(text)
  if (at === undefined) throw badRequest(`${text} is no ISO-8601 date and time.`)
  return Math.floor(at.ms / widthMs) * widthMs
}

/** Works in this process, on the ledger of this folder. */
export async function here(api: Api, work: (services: Services) => Promise<void>): Promise<void> {
  if (api.here === undefined)
    throw badRequest(
      'Engines are asked where service.yaml names them: run this in the folder of the ledger, without --url.',
    )
  await api.here(work)
}

/** Asks the engines that a decision rested on again, and says what they say otherwise by now. */
export async function verifyAction({ args, options, io, api }: Invocation): Promise<number> {
  const action_id = args[0]!
  const opened = await api()
  const { evidence, environment } = (await callJson(opened, 'GET /v1/actions/{action_id}', {
    path: { action_id },
  })) as unknown as {
    evidence: Evidence | null
    environment: string
  }
  const sides = [evidence?.evaluation?.baseline, evidence?.evaluation?.candidate].flatMap(side => side ?? [])
  const sources = new Set(sides.flatMap(side => (side.sources ?? []).map(({ source }) => source)))
  if (evidence == null || sources.size === 0) throw badRequest(`${action_id} rests on no cells.`)
  const window = evidence.window_used ?? evidence.window
  const from = timeOf(window.since, HOUR_MS)!
  const until = timeOf(window.until, MINUTE_MS)!
  const { signal } = new AbortController()
  const found: { source: string; hour: string; runs_kept: number; runs_now: number }[] = []
  const replaced: Replaced[] = []
  await here(opened, async services => {
    const inWindow = { since: parseTimestamp(window.since)!.ms, until: parseTimestamp(window.until)!.ms }
    for (const side of sides) replaced.push(...(await replacedOf(services, side, environment, inWindow)))
    for (const source of sources) {
      const engine = engineOf(services, source)
      const due = await dueOf(services, engine)
      // Of an hour that was running when it was read, what came since is no change.
      const to = Math.min(Math.ceil(until / HOUR_MS) * HOUR_MS, due.covered_to ?? due.to)
      for (const { hour, before, after } of await verify(services, engine, { from, to, signal }))
        found.push({ source, hour: isoTime(hour * HOUR_MS), runs_kept: before, runs_now: after })
    }
  })
  io.out(
    options.json
      ? pretty({ action_id, sources: [...sources], changed: found, replaced })
      : [
          ...found.map(
            one => `${safe(one.source)}  ${one.hour}  ${one.runs_kept} runs are kept, ${one.runs_now} by now`,
          ),
          ...replaced.map(
            one =>
              `${safe(one.source)}  ${one.release_id}  was decided on with ${one.runs_decided} runs in the hours of its window, ` +
              `${one.runs_kept} are kept since`,
          ),
          ...(found.length + replaced.length === 0
            ? [`${[...sources].map(safe).join(', ')}: as it was decided on`]
            : []),
        ]
          .join('\n')
          .concat('\n'),
  )
  return found.length === 0 ? 0 : 1
}
