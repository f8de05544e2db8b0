import type { MutantResult } from '@stryker-mutator/api/core'
import { EXPLAINED } from './explained/explained.ts'

/** What came of the mutants of some files, as lines; proven where each survivor has a reason, and each reason a survivor. */
export function reported(
  mutants: readonly MutantResult[],
  texts: ReadonlyMap<string, string>,
): { readonly lines: readonly string[]; readonly isProven: boolean } {
  const reasons = new Map(Object.keys(EXPLAINED).map(name => [comparable(name), name]))
  const tried = mutants
    .filter(({ status }) => status !== 'Ignored')
    .map(mutant => ({ mutant, name: nameOf(mutant, texts) }))
  const lived = tried.filter(({ mutant: { status } }) => status === 'Survived' || status === 'NoCoverage')
  const unexplained = lived.filter(({ name }) => !reasons.has(comparable(name)))
  const survivors = new Set(lived.map(({ name }) => comparable(name)))
  const idle = [...reasons].filter(([key, name]) => texts.has(name.split(' ')[0]!) && !survivors.has(key))
  const count = (status: MutantResult['status']): number =>
    tried.filter(({ mutant }) => mutant.status === status).length
  const share = (100 * (tried.length - lived.length)) / tried.length
  return {
    lines: [
      ...unexplained.map(
        ({ name, mutant: { location } }) => `survived: line ${location.start.line} of ${name}`,
      ),
      ...idle.map(([, name]) => `explained, and killed or gone: ${name}`),
      `${count('Killed')} killed, ${count('Timeout')} by time, ${count('Survived')} survived, ` +
        `${count('NoCoverage')} not covered: ${share.toFixed(1)} % killed; ` +
        `${lived.length - unexplained.length} of ${lived.length} explained`,
    ],
    isProven: unexplained.length + idle.length === 0,
  }
}

const SHOWN_CHARS = 90

/** Says which mutant it is as long as the declaration that it is in stays as it is, wherever that is in the file. */
function nameOf(
  { fileName, location, replacement }: MutantResult,
  texts: ReadonlyMap<string, string>,
): string {
  const file = [...texts.keys()].find(path => fileName.endsWith(path))!
  const text = texts.get(file)!
  const lines = text.split('\n')
  // Lines and columns begin at 1.
  const at = ({ line, column }: { line: number; column: number }): number =>
    lines.slice(0, line - 1).reduce((sum, { length }) => sum + length + 1, column - 1)
  const [start, end] = [at(location.start), at(location.end)]
  const declared = text
    .slice(0, start)
    .matchAll(/^(?:export )?(?:async )?(?:function\*?|const|class) (\w+)/gm)
  const within = [...declared].at(-1)?.[1] ?? ''
  return `${file} ${within}: ${shown(text.slice(start, end))} → ${shown(replacement)}`
}

function shown(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ')
  return line.length <= SHOWN_CHARS ? line : `${line.slice(0, SHOWN_CHARS - 1)}…`
}

/** Without what Stryker writes otherwise than the sources do: blanks, brackets, quotes. */
function comparable(name: string): string {
  return name.replaceAll(/ \(\d+\)$/g, '').replaceAll(/[\s()"'`,]/g, '')
}
