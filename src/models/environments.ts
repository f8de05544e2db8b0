import { matches, similarNames } from '../base/text.ts'
import { parseDateOrTimestamp } from '../base/time.ts'
import { isTimeZone, parseWeekly } from '../base/weekly.ts'
import type { Check, Fault } from './checks.ts'

/** Environments of a workspace, and rules of promotions into them. */
export interface Environments {
  readonly default_environment?: unknown
  readonly environments?: readonly string[]
  readonly promotes_from?: Readonly<Record<string, string | { readonly environment: string }>>
  readonly freeze?: readonly { readonly environment?: string }[]
}

/** A moment, a day, which is its first moment, or a time of every week. */
export const freezeTime: Check<string> = text =>
  parseDateOrTimestamp(text) === undefined && parseWeekly(text) === undefined
    ? {
        expected: 'an ISO-8601 date, with or without a time, or a time of the week such as "fri 16:00"',
        actual: JSON.stringify(text.slice(0, 60)),
      }
    : undefined

export const timeZone: Check<string> = name =>
  isTimeZone(name)
    ? undefined
    : { expected: 'an IANA time zone such as Europe/Berlin', actual: JSON.stringify(name.slice(0, 60)) }

/** A freeze is of one kind, and has a beginning and an end. */
export const freezeFits: Check<{
  readonly from: string
  readonly to: string
  readonly time_zone?: string
}> = ({ from, to, time_zone }) => {
  const [start, end] = [parseDateOrTimestamp(from)?.ms, parseDateOrTimestamp(to)?.ms]
  if ((start === undefined) !== (end === undefined)) {
    const kind = start === undefined ? 'a time of the week, like from' : 'a date, like from'
    return { path: ['to'], expected: kind, actual: JSON.stringify(to) }
  }
  if (start !== undefined && end !== undefined) {
    if (start >= end) return { path: ['to'], expected: 'later than from', actual: JSON.stringify(to) }
    if (time_zone === undefined) return undefined
    const expected = 'left out: dates have an offset of their own, such as +01:00'
    return { path: ['time_zone'], expected, actual: JSON.stringify(time_zone) }
  }
  return parseWeekly(from) === parseWeekly(to)
    ? { path: ['to'], expected: 'another time than from', actual: JSON.stringify(to) }
    : undefined
}

/** What rules name is declared, where environments are; and no environment waits for itself. */
export const environmentsFit: Check<Environments> = workspace => {
  const { environments, promotes_from = {}, freeze = [], default_environment = 'local' } = workspace
  const declared = (name: string, path: Fault['path'] & {}): Fault | undefined =>
    environments === undefined || environments.includes(name)
      ? undefined
      : undeclared(name, environments, path)
  // Who doesn't set a default has this one, and learns of it when a request names it.
  if (typeof default_environment === 'string' && default_environment !== 'local') {
    const fault = declared(default_environment, ['default_environment'])
    if (fault !== undefined) return fault
  }
  for (const [to, from] of Object.entries(promotes_from)) {
    const path = ['promotes_from', to]
    const fault =
      declared(to, path) ??
      (typeof from === 'string'
        ? declared(from, path)
        : declared(from.environment, [...path, 'environment'])) ??
      waitsForItself(promotes_from, to, path)
    if (fault !== undefined) return fault
  }
  for (const [index, { environment = '*' }] of freeze.entries()) {
    if (environments === undefined || environments.some(name => matches(environment, name))) continue
    return undeclared(environment, environments, ['freeze', index, 'environment'])
  }
  return undefined
}

function undeclared(name: string, environments: readonly string[], path: Fault['path'] & {}): Fault {
  const [meant] = similarNames(name, environments, 1)
  const hint = meant === undefined ? '' : `; did you mean ${meant}?`
  return {
    path,
    expected: `one of the environments ${environments.join(', ')}`,
    actual: JSON.stringify(name) + hint,
  }
}

function waitsForItself(
  promotesFrom: NonNullable<Environments['promotes_from']>,
  first: string,
  path: Fault['path'] & {},
): Fault | undefined {
  const passed = [first]
  for (let name = first; Object.hasOwn(promotesFrom, name);) {
    const from = promotesFrom[name]!
    name = typeof from === 'string' ? from : from.environment
    passed.push(name)
    if (name === first) {
      return { path, expected: 'an order that begins somewhere', actual: passed.join(' from ') }
    }
    if (passed.length > Object.keys(promotesFrom).length + 1) return undefined
  }
  return undefined
}
