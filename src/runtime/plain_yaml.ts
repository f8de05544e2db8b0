type Settings = Record<string, unknown>

/**
 * What the plainest YAML says: settings in lines, whose values are words, numbers, texts in quotes without escapes, or
 * such settings in turn. Undefined where a text holds anything else, or is wrong. Most configurations are as plain as
 * that, and the full reader takes a command as long as all that it asks of the ledger.
 */
export function plainYaml(text: string): Settings | null | undefined {
  if (!PRINTABLE.test(text)) return undefined
  const levels: [Level, ...Level[]] = [{ indent: 0, settings: {}, empty: undefined }]
  for (const line of text.split('\n')) {
    if (BLANK.test(line)) continue
    const found = SETTING.exec(line)
    if (found === null) return undefined
    const [, { length: indent }, key, written] = found as unknown as [string, string, string, string?]
    const level = levelAt(levels, indent)
    const value = valueOf(written)
    if (level === undefined || value === undefined || Object.hasOwn(level.settings, key)) return undefined
    level.settings[key] = value
    level.empty = value === null ? key : undefined
  }
  const [{ settings }] = levels
  return Object.keys(settings).length === 0 ? null : settings
}

/** The settings that begin in one column. */
interface Level {
  readonly indent: number
  readonly settings: Settings
  /** The last of them, if it has no value yet: what is indented below it is that. */
  empty: string | undefined
}

/** Where a line belongs that is indented so far; levels that it ends are dropped. */
function levelAt(levels: [Level, ...Level[]], indent: number): Level | undefined {
  while (levels.at(-1)!.indent > indent) levels.pop()
  const level = levels.at(-1)!
  if (level.indent === indent) return level
  if (level.empty === undefined) return undefined
  const below: Level = { indent, settings: {}, empty: undefined }
  level.settings[level.empty] = below.settings
  level.empty = undefined
  levels.push(below)
  return below
}

const BLANK = /^ *(?:#.*)?$/
const SETTING = /^( *)([A-Za-z]\w{0,99}):(?: +('[ -&(-~]*'|"[ !#-[\]-~]*"|[\w./-]+))?(?: *| +#.*)$/
/** Of what is beyond ASCII only comments hold any. */
const PRINTABLE = /^[\n -~\u00A0-\uD7FF]*$/

/** A value as it is written, or undefined where its kind isn't plain to see. */
function valueOf(written: string | undefined): unknown {
  if (written === undefined) return null
  if (/^['"]/.test(written)) return written.slice(1, -1)
  if (/^(?:0|[1-9]\d{0,8})(?:\.\d{1,9})?$/.test(written)) return Number(written)
  if (written === 'true' || written === 'false') return written === 'true'
  if (/^(?:true|false|null|\.inf|\.nan)$/i.test(written)) return undefined
  return /^(?:\.?[A-Za-z/][\w./-]*|\d{1,9}[dhms])$/.test(written) ? written : undefined
}
