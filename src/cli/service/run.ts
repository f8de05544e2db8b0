import type { RouteAnswer } from '../../../handlers/index.ts'
import type { JsonRoute, Route } from '../../sdk/call.ts'
import type { Invocation, Run } from '../arguments/command.ts'
import { painter, warn } from '../terminal/io.ts'
import { type Column, listing } from '../terminal/table.ts'
import { pretty } from '../terminal/text.ts'
import { type Api, type UncheckedCall, callJson, goodJson, warningsIn } from './api.ts'
import { type PagedRoute, pagesOf } from './pages.ts'
import type { Fields } from '../../models/checks.ts'

/** How what was typed becomes the fields of a call. */
interface Takes {
  /** Names of fields by those of options, where they differ; null for an option that the service isn't sent. */
  readonly as?: Readonly<Record<string, string | null>>
  /** Names of the fields that take the arguments behind those of the path. */
  readonly args?: readonly string[]
  readonly takes?: (invocation: Invocation) => Fields | Promise<Fields>
}

interface Calls<T> extends Takes {
  readonly text: (answer: T, invocation: Invocation) => string
  /** Asks before the call. What it returns is why nothing was done, which ends the command with 1. */
  readonly asks?: (invocation: Invocation) => Promise<string | undefined>
  /** Whether it prints the warnings of the answer. */
  readonly warns?: true
  /** The exit code; 0 unless given. */
  readonly exits?: (answer: T, invocation: Invocation) => number
  /** What it says on stderr then, if anything. */
  readonly note?: (
    answer: T,
    invocation: Invocation,
    api: Api,
  ) => string | undefined | Promise<string | undefined>
}

/** Calls a route by what was typed, and prints its answer. */
export function call<R extends JsonRoute>(
  route: R,
  { text, asks, note, warns, exits, ...takes }: Calls<RouteAnswer<R>>,
): Run {
  async function callRoute(invocation: Invocation): Promise<number> {
    const { options, io, api } = invocation
    const refused = await asks?.(invocation)
    if (refused !== undefined) {
      io.err(`svc: ${refused}\n`)
      return 1
    }
    const request = await requestOf(route, takes, invocation)
    const opened = await api()
    const sent = await opened.send(route, request)
    const answer = goodJson<RouteAnswer<R>>(sent)
    if (warns === true) {
      warn(warningsIn(sent), io)
      warn(answer as Parameters<typeof warn>[0], io)
    }
    io.out(options.json ? pretty(answer) : text(answer, invocation))
    const said = await note?.(answer, invocation, opened)
    if (said !== undefined) io.err(`svc: ${said}\n`)
    return exits?.(answer, invocation) ?? 0
  }
  return Object.assign(callRoute, { sends: { route, as: takes.as ?? {} } })
}

type RowOf<T, K extends keyof T> = T[K] extends readonly (infer Row)[] ? Row : never

interface Lists extends Takes {
  /** What it says on stderr where there is none. */
  readonly empty?: string | ((invocation: Invocation) => string)
  /** As many as it asks for, where the service gives a part only. */
  readonly most?: number
}

/** As many as the service gives at once. */
export const MOST = 500

/** Lists the rows of an answer, one to a line. */
export function list<R extends JsonRoute, K extends keyof RouteAnswer<R> & string>(
  route: R,
  rows: K,
  columns: readonly Column<RowOf<RouteAnswer<R>, K>>[],
  { empty, most, ...takes }: Lists = {},
): Run {
  async function listRoute(invocation: Invocation): Promise<number> {
    const { options, io, api } = invocation
    const { path, query } = await requestOf(route, takes, invocation)
    const answer = await callJson(await api(), route, { path, query: { limit: most, ...query } } as object)
    const found = answer[rows] as RowOf<RouteAnswer<R>, K>[]
    io.out(options.json ? pretty(answer) : listing(columns, found, io))
    if (found.length === 0 && empty !== undefined && !options.json) {
      io.err(`svc: ${typeof empty === 'string' ? empty : empty(invocation)}\n`)
    }
    if (found.length === most) io.err(`svc: these are the newest ${most}; older ones are not shown\n`)
    return 0
  }
  return Object.assign(listRoute, { sends: { route, as: takes.as ?? {} } })
}

interface ListsPages<T> extends Pick<Lists, 'as' | 'takes'> {
  readonly empty: (invocation: Invocation) => string
  /** Colours the line of a row at a terminal. */
  readonly mark?: (row: T, line: string, paint: ReturnType<typeof painter>) => string
}

/** Lists all rows of a route that answers in pages, or as many as --limit says; in a pipe page by page. */
export function listAll<R extends PagedRoute, K extends keyof RouteAnswer<R> & string>(
  route: R,
  rows: K,
  columns: readonly Column<RowOf<RouteAnswer<R>, K>>[],
  { empty, mark = (_, line) => line, ...takes }: ListsPages<RowOf<RouteAnswer<R>, K>>,
): Run {
  async function listPages(invocation: Invocation): Promise<number> {
    const { options, io, api } = invocation
    const { query } = await requestOf(route, takes, invocation)
    const opened = await api()
    const kept: RowOf<RouteAnswer<R>, K>[] = []
    const isKept = options.json || io.outIsTty
    let found = 0
    for await (const page of pagesOf(opened, route, query ?? {}, options.number('limit'))) {
      const part = page[rows] as typeof kept
      if (isKept) kept.push(...part)
      else io.out(listing(columns, part, found === 0 ? io : { ...io, header: false }))
      found += part.length
    }
    if (options.json) io.out(pretty({ [rows]: kept }))
    else if (isKept) io.out(listing(columns, kept, io, (row, line) => mark(row, line, painter(io))))
    if (found === 0 && !options.json) io.err(`svc: ${empty(invocation)}\n`)
    return 0
  }
  return Object.assign(listPages, { sends: { route, as: takes.as ?? {} } })
}

/** The call of a route: arguments go into its path unless `takes` says what does, options into its query or body. */
export async function requestOf<R extends Route>(
  route: R,
  { as = {}, args = [], takes }: Takes,
  invocation: Invocation,
): Promise<UncheckedCall<R> & { readonly query?: Fields }> {
  const inPath = Array.from(route.matchAll(/\{(\w+)\}/g), ([, name]) => name!)
  const named = [...inPath, ...args].map((name, index) => [name, invocation.args[index]] as const)
  const all: Fields = {
    ...Object.fromEntries(named),
    ...Object.fromEntries(
      Object.entries(invocation.options.fields).flatMap(([name, value]) => {
        const field = as[name] === undefined ? name.replaceAll('-', '_') : as[name]
        return field === null ? [] : [[field, value]]
      }),
    ),
    ...(await takes?.(invocation)),
  }
  const path = Object.fromEntries(inPath.map(name => [name, all[name]]))
  const fields = Object.fromEntries(Object.entries(all).filter(([name]) => !inPath.includes(name)))
  return (/^(?:GET|DELETE) /.test(route) ? { path, query: fields } : { path, body: fields }) as never
}
