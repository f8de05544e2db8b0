import { CaseList, PASS_RATE, type Report, amountOf } from './rules_report.ts'

/**
 * A JUnit report: a test case passed where nothing in it is a failure or an error. Those that were skipped don't count. It
 * is known by its class and its name.
 */
export function readJunit(text: string): Report {
  const list = new CaseList()
  let [skipped, outcome] = [0, 'passed']
  let open: Attributes | undefined
  const end = ({ classname = '', name = '', time }: Attributes): void => {
    const id = [classname, name].filter(part => part !== '').join('.')
    if (outcome === 'skipped') skipped += 1
    else list.add({ id, duration_ms: amountOf(time, 1000) }, [[PASS_RATE, outcome === 'passed']])
  }
  const tags = tagsOf(text)
  const suite = tags.find(({ name }) => name === 'testsuite' || name === 'testsuites')
  if (suite === undefined) throw new RangeError('it has no testsuite')
  let evaluated_at: string | undefined
  for (const { name, kind, attributes } of tags) {
    if (name === 'testsuite') evaluated_at ??= attributes().timestamp
    if (name === 'testcase') {
      if (kind !== 'end') {
        outcome = 'passed'
        open = attributes()
      }
      if (kind !== 'start' && open !== undefined) {
        end(open)
        open = undefined
      }
    } else if (open !== undefined && kind !== 'end') {
      if (name === 'failure' || name === 'error') outcome = 'failed'
      else if (name === 'skipped' && outcome === 'passed') outcome = 'skipped'
    }
  }
  if (open !== undefined) throw cutOff()
  return {
    cases: list.cases,
    warnings:
      skipped === 0 ? [] : [`${skipped} ${skipped === 1 ? 'case was' : 'cases were'} skipped, and left out`],
    evaluated_at,
  }
}

type Attributes = Readonly<Record<string, string>>

interface Tag {
  readonly name: string
  readonly kind: 'start' | 'end' | 'empty'
  readonly attributes: () => Attributes
}

/** What may hold anything, to its end. */
const OPAQUE = [
  ['<!--', '-->'],
  ['<![CDATA[', ']]>'],
  ['<?', '?>'],
] as const

/** The tags of XML, in one pass. Throws SyntaxError where one does not end. */
function tagsOf(text: string): Tag[] {
  const tags: Tag[] = []
  for (let at = text.indexOf('<'); at >= 0; at = text.indexOf('<', at)) {
    const opaque = OPAQUE.find(([start]) => text.startsWith(start, at))
    if (opaque !== undefined) {
      at = behind(text, opaque[1], at)
      continue
    }
    const end = endOfTag(text, at)
    const tag = text.slice(at, end)
    const [, slash, name] = /^<(\/?)([^\s/>]*)/.exec(tag)!
    tags.push({
      name: name!,
      kind: slash === '/' ? 'end' : text[end - 2] === '/' ? 'empty' : 'start',
      attributes: () => attributesOf(tag),
    })
    at = end
  }
  return tags
}

function attributesOf(tag: string): Attributes {
  const found = [...tag.matchAll(/\s([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g)]
  return Object.fromEntries(
    found.map(([, name, double, single]) => [name!, unescaped(double ?? single ?? '')]),
  )
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

function unescaped(text: string): string {
  return text.replaceAll(
    /&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(\w+));/gi,
    (whole, hex, decimal, name: string) => {
      const code = hex === undefined ? Number(decimal) : Number.parseInt(String(hex), 16)
      if (hex === undefined && decimal === undefined) return ENTITIES[name] ?? whole
      return code <= 0x10_ff_ff && code > 0 ? String.fromCodePoint(code) : whole
    },
  )
}

/** Where a tag that begins at `start` ends: values of attributes may hold what ends one. */
function endOfTag(text: string, start: number): number {
  const next = /["'>]/g
  next.lastIndex = start
  for (let found = next.exec(text); found !== null; found = next.exec(text)) {
    if (found[0] === '>') return next.lastIndex
    next.lastIndex = behind(text, found[0], next.lastIndex)
  }
  throw cutOff()
}

function behind(text: string, end: string, start: number): number {
  const found = text.indexOf(end, start)
  if (found < 0) throw cutOff()
  return found + end.length
}

function cutOff(): SyntaxError {
  return new SyntaxError('what is opened does not end: the file is cut off')
}
