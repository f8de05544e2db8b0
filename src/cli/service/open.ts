import { badRequest } from '../../base/errors.ts'
import { isNamedToken } from '../../base/token_text.ts'
import type { Log } from '../../ledger/world/ledger.ts'
import { type Environment, UNKNOWN_ACTOR, readEnvironment } from '../../runtime/environment.ts'
import { RECORDS_ACTOR } from '../../sdk/routes.ts'
import type { CommandSpec, TokenRenewal } from '../arguments/command.ts'
import { takesService } from '../arguments/options.ts'
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
  /** Gets another token for a profile whose own has ended. */
  readonly renew?: TokenRenewal
}

/** Opens the service that is named, or else the ledger of the folder. */
export async function openApi(target: Target): Promise<Api> {
  const { command, args = [], io, version } = target
  const environment = readEnvironment(io.env)
  const { actor } = environment
  const log = stderrLog(io)
  const service = await serviceOf(target, environment)
  if (service !== undefined) {
    const { remoteApi } = await import('./remote.ts')
    const open = (token: string | undefined): Api => remoteApi(service.url, token, actor, log)
    const api = renewing(service, open, target)
    // What names its bearer names the actor as well.
    const isNamed = service.login !== undefined || isNamedToken(service.token ?? '')
    return isNamed ? api : namingActor(api, environment, log)
  }
  const [{ localApi }, { openServices }, { loadWorkspace }] = await Promise.all([
    import('./local.ts'),
    import('../../runtime/node/open.ts'),
    import('../../runtime/node/workspace.ts'),
  ])
  const workspace = await loadWorkspace(io.cwd, log)
  const ownThread = command.ownThread?.(args, io.cwd) ?? false
  const options = { folder: io.cwd, environment, version, log, ownThread, workspace }
  return namingActor(localApi(await openServices(options), actor), environment, log)
}

/** The service that the line names, or else the environment. Throws 400 where either names two. */
async function serviceOf(
  { command, io, ...line }: Target,
  { serviceUrl, serviceProfile, tokens }: Environment,
): Promise<(Profile & { readonly name?: string }) | undefined> {
  // `webhook add` has a --url that means something else.
  const url = takesService(command) ? line.url : undefined
  const places = [
    { url, profile: line.profile, names: '--url and --profile' },
    { url: serviceUrl, profile: serviceProfile, names: 'SERVICE_URL and SERVICE_PROFILE' },
  ]
  const named = places.find(place => (place.url ?? place.profile) !== undefined)
  if (named === undefined) return undefined
  if (named.url !== undefined && named.profile !== undefined) {
    throw badRequest(`${named.names} both name a service; give one of them.`)
  }
  if (named.profile === undefined) return { url: named.url!, token: tokens.main }
  const { readProfile } = await import('./profiles.ts')
  const profile = await readProfile(named.profile, io)
  return { ...profile, token: profile.token ?? tokens.main, name: named.profile }
}

/** Sends again what was refused with 401, once, by a token that a login gets: nothing was done with the one before. */
function renewing(
  service: Profile & { readonly name?: string },
  open: (token: string | undefined) => Api,
  { renew, io }: Pick<Target, 'renew' | 'io'>,
): Api {
  let api = open(service.token)
  const { name, login } = service
  if (name === undefined || login === undefined || renew === undefined) return api
  let renewed: Promise<string | undefined> | undefined
  return {
    ...api,
    send: async (route, call, onProgress) => {
      const answer = await api.send(route, call, onProgress)
      if (answer.status !== 401 || renewed !== undefined) return answer
      renewed = (await renew())(name, service.token, io)
      const token = await renewed
      if (token === undefined) return answer
      api = open(token)
      return api.send(route, call, onProgress)
    },
  }
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
