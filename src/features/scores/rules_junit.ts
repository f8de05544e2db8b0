import { type Report, CaseList, PASS_RATE } from './rules_case.ts'

/** A JUnit report: a test case passed where nothing in it is a failure or an error. Those that were skipped don't count. */
export function readJunit(text: string): Report {
  const list = new CaseList()
  let [skipped, isOpen, outcome] = [0, false, 'passed']
  const end = (): void => {
    if (outcome === 'skipped') skipped += 1
    else list.add([[PASS_RATE, outcome === 'passed']])
  }
  const tags = tagsOf(text)
  if (!tags.some(({ name }) => name === 'testsuite' || name === 'testsuites')) {
    throw new RangeError('it has no testsuite')
  }
  for (const { name, kind } of tags) {
    if (name === 'testcase') {
      if (kind !== 'end') {
        outcome = 'passed'
        isOpen = true
      }
      if (kind !== 'start' && isOpen) {
        end()
        isOpen = false
      }
    } else if (isOpen && kind !== 'end') {
      if (name === 'failure' || name === 'error') outcome = 'failed'
      else if (name === 'skipped' && outcome === 'passed') outcome = 'skipped'
    }
  }
  if (isOpen) throw cutOff()
  return {
    cases: list.cases,
    warnings:
      skipped === 0 ? [] : [`${skipped} ${skipped === 1 ? 'case was' : 'cases were'} skipped, and left out`],
  }
}

interface Tag {
  readonly name: string
  readonly kind: 'start' | 'end' | 'empty'
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
    const [, slash, name] = /^<(\/?)([^\s/>]*)/.exec(text.slice(at, end))!
    tags.push({ name: name!, kind: slash === '/' ? 'end' : text[end - 2] === '/' ? 'empty' : 'start' })
    at = end
  }
  return tags
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
