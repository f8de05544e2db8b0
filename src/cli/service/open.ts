import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { badRequest } from '../../base/errors.ts'
import type { Log } from '../../ledger/world/ledger.ts'
import { type Environment, UNKNOWN_ACTOR, readEnvironment } from '../../runtime/environment.ts'
import { RECORDS_ACTOR } from '../../sdk/routes.ts'
import type { CommandSpec } from '../arguments/command.ts'
import { URL_OPTION } from '../arguments/options.ts'
import { type Io, stderrLog } from '../terminal/io.ts'
import type { Api } from './api.ts'
import type { Profile } from './profiles.ts'

/** What a command talks to. */
export interface Target {
  readonly command: CommandSpec
  /** Its positional arguments. */
  readonly args?: readonly string[]
  /** The --url and --profile of the line. */
  readonly url: string | undefined
  readonly profile: string | undefined
  readonly io: Io
  readonly version: string
  /** Throws 400 where the ledger isn't there, instead of making it. */
  readonly mustExist?: boolean
}

/** Opens the service that is named, or else the ledger of the folder. */
export async function openApi(target: Target): Promise<Api> {
  const { command, args = [], io, version, mustExist = false } = target
  const environment = readEnvironment(io.env)
  const { actor, databaseUrl } = environment
  const log = stderrLog(io)
  const service = await serviceOf(target, environment)
  if (service !== undefined) {
    const { remoteApi } = await import('./remote.ts')
    return namingActor(remoteApi(service.url, service.token, actor, log), environment, log)
  }
  const [{ localApi }, { openServices }, { loadWorkspace }] = await Promise.all([
    import('./local.ts'),
    import('../../runtime/node/open.ts'),
    import('../../runtime/node/workspace.ts'),
  ])
  const workspace = await loadWorkspace(io.cwd, log)
  const file = (databaseUrl ?? workspace.database_url) == null ? workspace.db_path : undefined
  if (mustExist && file !== undefined && !existsSync(resolve(io.cwd, file))) {
    throw badRequest(`There is no ledger ${file}.`)
  }
  const ownThread = command.ownThread?.(args, io.cwd) ?? false
  const options = { folder: io.cwd, environment, version, log, ownThread, workspace }
  return namingActor(localApi(await openServices(options), actor), environment, log)
}

/** The service that the line names, or else the environment. Throws 400 where either names two. */
async function serviceOf(
  { command, io, ...line }: Target,
  { serviceUrl, serviceProfile, tokens }: Environment,
): Promise<Profile | undefined> {
  // `webhook add` has a --url that means something else.
  const url = command.options?.includes(URL_OPTION) === true ? line.url : undefined
  const places = [
    { url, profile: line.profile, names: '--url and --profile' },
    { url: serviceUrl, profile: serviceProfile, names: 'SERVICE_URL and SERVICE_PROFILE' },
  ]
  const named = places.find(place => (place.url ?? place.profile) !== undefined)
  if (named === undefined) return undefined
  if (named.url !== undefined && named.profile !== undefined) {
    throw badRequest(`${named.names} both say which service is meant; give one of them.`)
  }
  if (named.profile === undefined) return { url: named.url!, token: tokens.main }
  const { readProfile } = await import('./profiles.ts')
  const profile = await readProfile(named.profile, io)
  return { ...profile, token: profile.token ?? tokens.main }
}

/** Says, before the first request that records who asks, that nobody is named. */
function namingActor(api: Api, { actor }: Environment, log: Log): Api {
  if (actor !== UNKNOWN_ACTOR) return api
  let noted = false
  return {
    ...api,
    send: (route, call, onProgress) => {
      if (!noted && RECORDS_ACTOR.has(route)) {
        log('info', `note: neither USER nor USERNAME is set, so the actor on record is '${actor}'`)
        noted = true
      }
      return api.send(route, call, onProgress)
    },
  }
}
