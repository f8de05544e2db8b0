import { dirname } from 'node:path'
import { routes } from '../../../handlers/index.ts'
import { badRequest } from '../../base/errors.ts'
import type { Context } from '../../http/access/context.ts'
import { bodyText } from '../../http/wire/message.ts'
import type { Log } from '../../ledger/world/ledger.ts'
import { makeFolder, reasonOf } from '../../runtime/node/files.ts'
import type { Services } from '../../runtime/services.ts'
import { requestOf } from '../../sdk/call.ts'
import type { Api } from './api.ts'

/** Calls the handlers in this process, as a trusted local caller. */
export function localApi(services: Services, actor: string): Api {
  let [outboxFilled, broughtEvents] = [false, false]
  return {
    target: 'local ledger',
    send: async (route, call = {}, onProgress) => {
      broughtEvents ||= route === 'POST /v1/events' || route === 'POST /v1/traces'
      const { default: endpoint } = await routes[route]()
      const { method, path, body = null } = requestOf(route, call)
      const headers = {
        get: (name: string) => (name === 'content-type' ? 'application/json' : null),
        keys: () => [],
      }
      // Handlers log what they mask; here is nobody to hide it from.
      let masked: unknown
      const log: Log = (level, message, fields) => {
        if (level === 'error') masked = fields?.error
        // What a server notes of its work, a command prints itself.
        else if (level !== 'info') services.log(level, message, fields)
      }
      const context: Context = {
        ...services,
        log,
        peer: { kind: 'cli', actor },
        outboxFilled: () => (outboxFilled = true),
        ...(onProgress === undefined ? {} : { onProgress }),
      }
      const url = `http://localhost${path}`
      const reply = await endpoint.reply({ method, url, headers, body }, context)
      if (reply.status >= 500 && masked !== undefined) throw masked
      return {
        status: reply.status,
        headers: { get: name => reply.headers[name.toLowerCase()] ?? null },
        text: await bodyText(reply),
      }
    },
    backup: async path => {
      const copy = services.sql.extras?.backup
      if (copy === undefined) {
        throw badRequest(
          services.sql.dialect === 'postgres'
            ? '--backup copies a SQLite file, and this ledger is in PostgreSQL; use ' +
                'pg_dump --format=custom --file=FILE "$SERVICE_DATABASE_URL"'
            : '--backup copies a SQLite file, and this ledger is on a libSQL server; use ' +
                'svc ledger copy --from "$SERVICE_DATABASE_URL" --to FILE',
        )
      }
      await makeFolder(dirname(path)).catch((error: NodeJS.ErrnoException) => {
        throw badRequest(`The folder of the backup can't be made: ${reasonOf(error)}.`, error)
      })
      await copy(path)
    },
    here: async work => {
      const log: Log = (level, message, fields) => {
        if (level !== 'info') services.log(level, message, fields)
      }
      await work({ ...services, log, outboxFilled: () => (outboxFilled = true) })
    },
    close: async () => {
      if (outboxFilled) await sendOutbox(services)
      if (broughtEvents) await sumStored(services)
      await services.sql.close()
    },
  }
}

/** Does for the events that this command stored what a server does once a minute. */
async function sumStored(services: Services): Promise<void> {
  try {
    const { sumEvents } = await import('../../runtime/keep.ts')
    await sumEvents(services)
  } catch (error) {
    services.log('warn', `events are not summed yet: ${(error as Error).message}`)
  }
}

/** Tells receivers what this command decided; what is left by then stays in the outbox. */
async function sendOutbox(services: Services): Promise<void> {
  try {
    const { flushOutbox } = await import('../../runtime/outbox.ts')
    const left = await flushOutbox(services)
    if (left === 0) return
    services.log(
      'warn',
      `${left} webhook ${left === 1 ? 'delivery stays' : 'deliveries stay'} in the outbox; a running \`svc serve\` or the next decision here sends them`,
    )
  } catch (error) {
    services.log('warn', `webhooks stay in the outbox: ${(error as Error).message}`)
  }
}
