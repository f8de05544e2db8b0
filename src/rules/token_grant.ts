import { isSameName } from '../base/text.ts'
import { RESERVED_NAMES } from '../models/names.ts'

/** What a token would be good for. */
interface Grant {
  readonly name: string
  readonly role: string
  readonly agents?: readonly string[] | null
  readonly environments?: readonly string[] | null
  readonly source?: string | null
}

/** Why no token can be made of this: a name or limit that means something else than it says. Undefined where one can. */
export function grantProblem({ name, role, source, ...limits }: Grant): string | undefined {
  const reserved = RESERVED_NAMES.find(other => isSameName(other, name))
  if (reserved !== undefined) {
    return `${name} can't name a token: ${reserved} is on record for others; choose another name.`
  }
  if (source != null && role !== 'ingest') {
    return `A token for the aggregates of ${source} has the role ingest, and no other use.`
  }
  const starred = (['agents', 'environments'] as const).find(limit => limits[limit]?.includes('*') === true)
  return starred === undefined
    ? undefined
    : `${starred} are limited by whole names, without *; leave ${starred} out for all.`
}

/** Why a token can't have a name that looks like that of another; undefined where it can. */
export function likenessProblem(name: string, others: readonly string[]): string | undefined {
  const similar = others.find(other => isSameName(other, name) && other !== name)
  return similar === undefined
    ? undefined
    : `There is a token ${similar}, which looks like ${name}; choose another name.`
}
