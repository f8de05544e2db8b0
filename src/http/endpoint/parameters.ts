import type { FieldProblem } from '../../base/errors.ts'
import { similarNames } from '../../base/similar.ts'
import type { InputShapes } from '../../models/shape.ts'
import { namesIn } from './read_input.ts'

/** Names of query parameters that mean the same; an endpoint declares one of them, and both are taken. */
const SYNONYMS: readonly (readonly [string, string])[] = [
  ['env', 'environment'],
  ['agent', 'agent_id'],
]

/** The names that a declared parameter is taken by. */
export function namesOf(name: string): readonly string[] {
  return SYNONYMS.find(pair => pair.includes(name)) ?? [name]
}

/** The query of a request by the names that the endpoint declares. */
export function queryOf({ query }: InputShapes, { searchParams }: URL): Record<string, string> {
  const declared = namesIn(query)
  const given: Record<string, string> = Object.fromEntries(searchParams)
  for (const pair of SYNONYMS) {
    const name = pair.find(candidate => declared.includes(candidate))
    const synonym = pair.find(candidate => candidate !== name)!
    if (name === undefined || declared.includes(synonym)) continue
    if (!Object.hasOwn(given, synonym) || Object.hasOwn(given, name)) continue
    given[name] = given[synonym]!
    delete given[synonym]
  }
  return given
}

/** Most parameters that are named. */
const MOST_NAMED = 5

/** What is wrong with parameters that the endpoint does not have. A read may answer as if they were not there. */
export function unknownParameters(
  { query, body }: InputShapes,
  given: Readonly<Record<string, string>>,
): FieldProblem[] {
  const [declared, inBody] = [namesIn(query), namesIn(body)]
  const unknown = Object.keys(given).filter(name => !declared.includes(name))
  return unknown.slice(0, MOST_NAMED).map(name => {
    const [meant] = similarNames(name, declared, 1)
    const guess = meant === undefined ? '' : `; did you mean ${meant}?`
    const hint = inBody.includes(name) ? '; it belongs into the body' : guess
    return { loc: ['query', name], msg: `is not a parameter of this request${hint}`, type: 'unknown_field' }
  })
}

const WARNING_HEADER = 'x-service-warning'

/** The warning header for unknown parameters. */
export function warningHeadersOf(problems: readonly FieldProblem[]): Record<string, string> {
  return warningHeaders(problems.map(({ loc, msg }) => `${shown(String(loc[1]))} ${msg}`))
}

/** The header of warnings, in printable ASCII; none without warnings. */
export function warningHeaders(warnings: readonly string[]): Record<string, string> {
  if (warnings.length === 0) return {}
  return { [WARNING_HEADER]: warnings.join('; ').replaceAll(/[^ -~]/g, '_') }
}

function shown(name: string): string {
  return name.slice(0, 64).replaceAll(/[^\w.[\]-]/g, '_')
}
