import { importsOfChecks, nameOfCheck } from './checks.ts'
import type { Plain, Shape } from '../src/models/shape.ts'
import { knownOf } from '../src/models/unknown_fields.ts'

/**
 * Run events come in thousands, and code takes a fortieth of the time that `fits` takes for one: says whether an event
 * fits the shape, and whether it has unknown fields. Throws where the shape holds what this can't write.
 */
export function acceptorSource(shape: Shape): string {
  const functions: string[] = []
  const imported = new Set<string>()

  function condition(part: Shape, place: string): string {
    if ('oneOf' in part)
      return `(${part.oneOf.map(value => `${place} === ${JSON.stringify(value)}`).join(' || ')})`
    if ('kinds' in part) {
      return `(${Object.values(part.kinds)
        .map(branch => condition(branch, place))
        .join(' || ')})`
    }
    const { is, limits = [], items } = part
    if (is === 'object') return `isFields(${place}) && ${objectFunction(part)}(${place})`
    const number = limits.some(([rule]) => rule === 'divisor') ? `(${place} as number)` : place
    return [
      is === 'array'
        ? `Array.isArray(${place})`
        : number === place
          ? `typeof ${place} === '${is}'${is === 'number' ? ` && !Number.isNaN(${place})` : ''}`
          : `Number.isInteger(${place})`,
      ...limits.flatMap(([rule, limit]) => limitText(rule, limit, number)),
      ...(items === undefined ? [] : [`${place}.every(item => ${condition(items, 'item')})`]),
      ...checked(part, place, ''),
    ].join(' && ')
  }

  function objectFunction(part: Plain): string {
    const { required = {}, optional = {}, values, others } = part
    if (others !== undefined) throw new Error('an acceptor lets other fields pass')
    const place = functions.push('') - 1
    const name = `fits${place + 1}`
    const conditions = [
      ...Object.entries(required).map(([key, field]) => condition(field, `value.${key}`)),
      ...Object.entries(optional).map(
        ([key, field]) => `(value.${key} === undefined || ${condition(field, `value.${key}`)})`,
      ),
      ...(values === undefined ? [] : [`everyValue(value, field => ${condition(values, 'field')})`]),
      ...checked(part, 'value', ' as never'),
    ]
    functions[place] = `function ${name}(value: Fields): boolean {
  return (
    ${conditions.join(' &&\n    ')}
  )
}`
    return name
  }

  /** What is Fields is no array. */
  function checked({ checks: own = [] }: Plain, place: string, cast: string): string[] {
    const names = own.map(check => nameOfCheck(check)!)
    const others = names.filter(name => name !== 'noArray')
    for (const name of others) imported.add(name)
    return others.map(name => `${name}(${place}${cast}) === undefined`)
  }

  const root = condition(shape, 'value')
  return `// Generated from src/models/documents by \`npm run generate\`, and never edited.
${importsOfChecks(imported, ['type Fields', 'everyValue', 'isFields'])}import type { RunEvent } from '../documents/run_event.ts'

/** Whether a value plainly is an event; of any other value the shape says what is wrong. */
export function isEvent(value: unknown): value is RunEvent {
  return ${root}
}

${[...unknownFieldFunctions(knownOf(shape) as object), ...functions].join('\n\n')}
`
}

function limitText(rule: string | RegExp, limit: number | string, place: string): string[] {
  if (rule === 'divisor') return []
  const [subject, sign] = LIMITS[rule as keyof typeof LIMITS]
  return [`${place}${subject} ${sign} ${limit}`]
}

const LIMITS = {
  min: ['', '>='],
  max: ['', '<='],
  minLength: ['.length', '>='],
  maxLength: ['.length', '<='],
} as const

/** A function for each kind of object that says whether it, or one in it, has a field that the model doesn't know. */
function unknownFieldFunctions(root: object): string[] {
  const functions: string[] = []
  const names = new Map<string, string>()
  const nameOf = (known: object): string => {
    const text = JSON.stringify(known)
    const name = names.get(text) ?? `hasUnknownField${names.size === 0 ? '' : names.size}`
    if (names.has(text)) return name
    names.set(text, name)
    const place = functions.push('') - 1
    functions[place] = `function ${name}(value: Fields): boolean {
  for (const key in value) {
    switch (key) {
${knownCases(known, nameOf).join('\n')}
      default:
        return true
    }
  }
  return false
}`
    return name
  }
  nameOf(root)
  const [whole, ...parts] = functions
  return [`${ABOUT_UNKNOWN}\nexport ${whole}`, ...parts]
}

const ABOUT_UNKNOWN = "/** Whether an event, or an object in it, has a field that the model doesn't know. */"

function knownCases(known: object, nameOf: (known: object) => string): string[] {
  const entries = Object.entries(known) as [string, true | object | readonly [object]][]
  const plain = entries.flatMap(([key, inner]) => (inner === true ? [`      case '${key}':`] : []))
  const nested = entries.flatMap(([key, inner]) => {
    if (inner === true) return []
    const place = `value.${key}`
    const isUnknown = Array.isArray(inner)
      ? `Array.isArray(${place}) && ${place}.some(item => isFields(item) && ${nameOf(inner[0] as object)}(item))`
      : `isFields(${place}) && ${nameOf(inner)}(${place})`
    return [`      case '${key}':\n        if (${isUnknown}) return true\n        break`]
  })
  return [...(plain.length === 0 ? [] : [...plain, '        break']), ...nested]
}
