type Settings = Record<string, unknown>

/**
 * What the plainest YAML says: settings in lines, whose values are words, numbers, texts in quotes without escapes, or
 * settings and lists in turn. Undefined where a text holds anything else, or is wrong. Most configurations and price
 * tables are as plain as that, and the full reader takes a command as long as all that it asks of the ledger.
 */
export function plainYaml(text: string): Settings | null | undefined {
  if (!PRINTABLE.test(text)) return undefined
  const root: Settings = {}
  const levels: Levels = [{ indent: 0, held: root, empty: undefined }]
  for (const line of inOneLine(text.split('\n').filter(each => !BLANK.test(each)))) {
    const [bullet] = /^ *- +(?=[^ ])/.exec(line) ?? ['']
    const said = bullet === '' ? readSetting(line, levels) : readItem(line, bullet, levels)
    if (!said) return undefined
  }
  return Object.keys(root).length === 0 ? null : root
}

const BLANK = /^ *(?:#.*)?$/
/** Of what is beyond ASCII only comments hold any. */
const PRINTABLE = /^[\n -~\u00A0-\uD7FF]*$/
const VALUE = /('[ -&(-~]*'|"[ !#-[\]-~]*"|\{[\w :,./-]*\}|[\w./-]+(?::[\w./-]+)*)/.source
const END = '(?: *| +#.*)$'
const SETTING = new RegExp(`^( *)([A-Za-z]\\w{0,99}):(?: +${VALUE})?${END}`)
const ITEM = new RegExp(`^${VALUE}${END}`)

/** What begins in one column: settings, or the items of a list. */
interface Level {
  readonly indent: number
  readonly held: Settings | unknown[]
  /** The last setting, if it has no value yet: what is indented below it is that. */
  empty: string | undefined
}

type Levels = [Level, ...Level[]]

/** Whether the line is a setting that can stand there. */
function readSetting(line: string, levels: Levels): boolean {
  const found = SETTING.exec(line)
  if (found === null) return false
  const [, { length: indent }, key, written] = found as unknown as [string, string, string, string?]
  const level = levelAt(levels, indent, () => ({}))
  const value = valueOf(written)
  if (level === undefined || Array.isArray(level.held)) return false
  if (value === undefined || Object.hasOwn(level.held, key)) return false
  level.held[key] = value
  level.empty = value === null ? key : undefined
  return true
}

/** Whether the line is an item that can stand there, or the first setting of one. */
function readItem(line: string, bullet: string, levels: Levels): boolean {
  const level = levelAt(levels, bullet.indexOf('-'), () => [])
  if (level === undefined || !Array.isArray(level.held)) return false
  const rest = line.slice(bullet.length)
  const [, written] = ITEM.exec(rest) ?? []
  if (written !== undefined) {
    const value = valueOf(written)
    level.held.push(value)
    return value !== undefined
  }
  const item: Settings = {}
  level.held.push(item)
  levels.push({ indent: bullet.length, held: item, empty: undefined })
  return readSetting(' '.repeat(bullet.length) + rest, levels)
}

/** Where a line belongs that is indented so far; levels that it ends are dropped. */
function levelAt(levels: Levels, indent: number, made: () => Level['held']): Level | undefined {
  while (levels.at(-1)!.indent > indent) levels.pop()
  const level = levels.at(-1)!
  if (level.indent === indent) return level
  if (level.empty === undefined || Array.isArray(level.held)) return undefined
  const below: Level = { indent, held: made(), empty: undefined }
  level.held[level.empty] = below.held
  level.empty = undefined
  levels.push(below)
  return below
}

/** The lines, but one of settings in braces that go over several. What is left of where those began ends them. */
function inOneLine(lines: readonly string[]): string[] {
  const joined: string[] = []
  let opened: number | undefined
  for (const line of lines) {
    const indent = line.search(/[^ ]/)
    if (opened === undefined || indent <= opened) {
      joined.push(line)
      opened = /(?:^ *- +|: +)\{$/.test(line) ? indent : undefined
    } else {
      joined[joined.length - 1] += ` ${line.trim()}`
      if (line.endsWith('}')) opened = undefined
    }
  }
  return joined
}

/** A value as it is written, or undefined where its kind isn't plain to see. */
function valueOf(written: string | undefined): unknown {
  if (written === undefined) return null
  if (written.startsWith('{')) return settingsOf(written)
  if (/^['"]/.test(written)) return written.slice(1, -1)
  if (/^(?:0|[1-9]\d{0,8})(?:\.\d{1,9})?$/.test(written)) return Number(written)
  if (written === 'true' || written === 'false') return written === 'true'
  if (/^(?:true|false|null|\.inf|\.nan)$/i.test(written)) return undefined
  return /^(?:\.?[A-Za-z/][\w./-]*(?::[\w./-]+)*|\d{1,9}[dhms])$/.test(written) ? written : undefined
}

/** Settings in braces. */
function settingsOf(written: string): Settings | undefined {
  const settings: Settings = {}
  const parts = written.slice(1, -1).split(',')
  for (const [index, part] of parts.entries()) {
    if (part.trim() === '' && index === parts.length - 1) break
    const [, key, word] = /^ *([A-Za-z]\w{0,99}): +([\w./-]+) *$/.exec(part) ?? []
    if (key === undefined || Object.hasOwn(settings, key)) return undefined
    const value = valueOf(word)
    if (value === undefined) return undefined
    settings[key] = value
  }
  return settings
}
