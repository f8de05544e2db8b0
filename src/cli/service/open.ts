import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { RouteName } from '../../../handlers/index.ts'
import { refused } from '../../base/errors.ts'
import type { Log } from '../../ledger/ledger.ts'
import { type Environment, UNKNOWN_ACTOR, readEnvironment } from '../../runtime/environment.ts'
import type { CommandSpec } from '../arguments/command.ts'
import { URL_OPTION } from '../arguments/options.ts'
import { type Io, stderrLog } from '../terminal/io.ts'
import type { Api } from './api.ts'

/** What a command talks to. */
export interface Target {
  readonly command: CommandSpec
  /** The --url of the line. */
  readonly url: string | undefined
  readonly io: Io
  readonly version: string
  /** Throws 400 where the ledger isn't there, instead of making it. */
  readonly mustExist?: boolean
}

/** Opens the service that is named, or else the ledger of the folder. */
export async function openApi({ command, url, io, version, mustExist = false }: Target): Promise<Api> {
  const environment = readEnvironment(io.env)
  const { actor, databaseUrl, serviceUrl, tokens } = environment
  const log = stderrLog(io)
  // `webhook add` has a --url that means something else.
  const base = (command.options?.includes(URL_OPTION) === true ? url : undefined) ?? serviceUrl
  if (base !== undefined) {
    const { remoteApi } = await import('./remote.ts')
    return namingActor(remoteApi(base, tokens.main, actor, log), environment, log)
  }
  const [{ localApi }, { openServices }, { loadWorkspace }] = await Promise.all([
    import('./local.ts'),
    import('../../runtime/node/open.ts'),
    import('../../runtime/node/workspace.ts'),
  ])
  const workspace = await loadWorkspace(io.cwd, log)
  const file = (databaseUrl ?? workspace.database_url) == null ? workspace.db_path : undefined
  if (mustExist && file !== undefined && !existsSync(resolve(io.cwd, file))) {
    throw refused(`There is no ledger ${file}.`)
  }
  const { ownThread = false } = command
  const options = { folder: io.cwd, environment, version, log, ownThread, workspace }
  return namingActor(localApi(await openServices(options), actor), environment, log)
}

/** Requests that keep who asked. */
const KEEPS_ACTOR: ReadonlySet<RouteName> = new Set([
  'POST /v1/promote',
  'POST /v1/promote/request',
  'POST /v1/promote/confirm',
  'POST /v1/promote/cancel',
  'POST /v1/rollback',
  'POST /v1/pricing',
  'PUT /v1/policy',
])

/** Notes, before the first request that keeps who asked, that this says nobody. */
function namingActor(api: Api, { actor }: Environment, log: Log): Api {
  if (actor !== UNKNOWN_ACTOR) return api
  let noted = false
  return {
    ...api,
    send: (route, call) => {
      if (!noted && KEEPS_ACTOR.has(route)) {
        log('info', `note: neither USER nor USERNAME is set, so the actor on record is '${actor}'`)
        noted = true
      }
      return api.send(route, call)
    },
  }
}
